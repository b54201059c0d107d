import type { ReportTo } from './report.ts';
import type { RunEnd } from './run.ts';

/** A bulk run as it was asked for. */
export interface BulkRequest {
  /** The manifest, a file of this machine. */
  readonly path: string;
  /** The run's name. */
  readonly run: string;
  /** Checks every line and creates nothing. */
  readonly validateOnly: boolean;
  /** Whose projects; on this machine the company that `npm start` last ran as unless given. */
  readonly companyId: string | undefined;
  /** On this machine: how many entries are worked on at once. */
  readonly concurrency: number | undefined;
  /** On this machine: what share of the entries may fail before the rest is left alone. */
  readonly toleratedPercent: number | undefined;
  /** On this machine: the upstream service, if any. */
  readonly upstream: string | undefined;
  readonly report: ReportTo;
  /** Takes the refused lines, byte for byte. */
  readonly refused?: ((bytes: Uint8Array) => void) | undefined;
  readonly stop: AbortSignal;
}

/** How a bulk run ended. */
export interface BulkEnd {
  readonly end: RunEnd;
  /** How many entries failed. */
  readonly failed: number;
  /** How many of these were refused. */
  readonly refused: number;
}
