import { LIMITS } from '../../contract/limits.ts';

/** What one run of a mapping may take. */
export interface MappingLimits {
  /** Processor time of its process, in milliseconds. */
  readonly timeMs: number;
  /** What it holds, in MiB. */
  readonly heapMiB: number;
  /** What the process that it runs in takes as a whole, a single huge value included, in MiB. */
  readonly processMiB: number;
  readonly stackMiB: number;
  /** Its result as JSON. */
  readonly resultBytes: number;
  /** How deep a message and a result may be nested. */
  readonly levels: number;
  /** Of an expression. */
  readonly expressionCharacters: number;
}

/** As published. */
export const MAPPING_LIMITS: MappingLimits = {
  timeMs: 2_000,
  heapMiB: 64,
  processMiB: 384,
  stackMiB: 2,
  resultBytes: LIMITS.bodyBytes,
  levels: 64,
  expressionCharacters: 65_536,
};
