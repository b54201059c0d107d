import { LIMITS } from '../../contract/limits.ts';

/** What one run of a mapping may take, as published. */
export const MAPPING_LIMITS = {
  /** From the start of its thread, in milliseconds. */
  timeMs: 2_000,
  /** What it holds, in MiB. */
  heapMiB: 64,
  /** What the process that it runs in takes as a whole, a single huge value included, in MiB. */
  processMiB: 384,
  stackMiB: 2,
  /** Its result as JSON. */
  resultBytes: LIMITS.bodyBytes,
  /** How deep a message may be nested. */
  messageLevels: 64,
  /** Of an expression, in characters. */
  expressionCharacters: 65_536,
} as const;
