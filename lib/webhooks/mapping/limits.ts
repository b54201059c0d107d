import { LIMITS } from '../../contract/limits.ts';

/** The limits of one run of an expression in the sandbox. */
export interface SandboxLimits {
  /** The most processor time, in milliseconds. */
  readonly timeMs: number;
  /** The most memory of the JavaScript heap, in MiB. */
  readonly heapMiB: number;
  /** The most memory of the whole process, in MiB. */
  readonly processMiB: number;
  /** The most memory of the call stack, in MiB. */
  readonly stackMiB: number;
  /** The largest result as JSON, in bytes. */
  readonly resultBytes: number;
}

/** The limits of a mapping. */
export const MAPPING_LIMITS = {
  timeMs: 2_000,
  heapMiB: 64,
  processMiB: 384,
  stackMiB: 2,
  resultBytes: LIMITS.bodyBytes,
  /** The deepest nesting of a message and of a result, in levels. */
  levels: 64,
  /** The longest expression, in characters. */
  expressionCharacters: 65_536,
} satisfies SandboxLimits & Record<string, number>;
