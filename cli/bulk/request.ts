import type { Format } from '../../lib/bulk/manifest.ts';
import type { ReportTo } from './report.ts';
import type { RunEnd } from './run.ts';

/** What a bulk run is asked for with. */
export interface BulkRequest {
  /** The manifest, a file of this machine. */
  readonly path: string;
  readonly format: Format;
  /** Whose projects; on this machine the company that `npm start` last ran as unless given. */
  readonly companyId: string | undefined;
  /** On this machine: how many entries are worked on at once. */
  readonly concurrency: number | undefined;
  /** On this machine: what share of the entries may fail before the rest is left alone. */
  readonly toleratedPercent: number | undefined;
  /** On this machine: the service behind it, if any. */
  readonly upstream: string | undefined;
  readonly report: ReportTo;
  readonly stop: AbortSignal;
}

/** How a bulk run ended, and how many of its entries failed. */
export interface BulkEnd {
  readonly end: RunEnd;
  readonly failed: number;
}
