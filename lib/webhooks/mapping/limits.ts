import { LIMITS } from '../../contract/limits.ts';

/** The limits of one run of a mapping. */
export interface MappingLimits {
  /** Processor time, in milliseconds. */
  readonly timeMs: number;
  /** The heap, in MiB. */
  readonly heapMiB: number;
  /** The whole process, in MiB. */
  readonly processMiB: number;
  readonly stackMiB: number;
  /** The result as JSON. */
  readonly resultBytes: number;
  /** The nesting of a message and of a result. */
  readonly levels: number;
  /** The text of the expression. */
  readonly expressionCharacters: number;
}

/** The limits that the documentation has. */
export const MAPPING_LIMITS: MappingLimits = {
  timeMs: 2_000,
  heapMiB: 64,
  processMiB: 384,
  stackMiB: 2,
  resultBytes: LIMITS.bodyBytes,
  levels: 64,
  expressionCharacters: 65_536,
};
