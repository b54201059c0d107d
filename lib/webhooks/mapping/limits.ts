import { LIMITS } from '../../contract/limits.ts';

/** The limits of one run. */
export interface SandboxLimits {
  /** Processor time, in milliseconds. */
  readonly timeMs: number;
  /** The heap, in MiB. */
  readonly heapMiB: number;
  /** The whole process, in MiB. */
  readonly processMiB: number;
  readonly stackMiB: number;
  /** The result as JSON. */
  readonly resultBytes: number;
}

/** The limits of a mapping. */
export const MAPPING_LIMITS = {
  timeMs: 2_000,
  heapMiB: 64,
  processMiB: 384,
  stackMiB: 2,
  resultBytes: LIMITS.bodyBytes,
  /** The nesting of a message and of a result. */
  levels: 64,
  /** The text of the expression. */
  expressionCharacters: 65_536,
} satisfies SandboxLimits & Record<string, number>;
