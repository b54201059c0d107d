import { parseJson } from '../../contract/json.ts';
import { Problem } from '../../contract/problem.ts';
import { errorText } from './error-text.ts';
import { MAPPING_LIMITS, type MappingLimits } from './limits.ts';
import { type StartProcess, sandbox } from './sandbox.ts';
import type { RunResult } from './sandbox-program.ts';

/** What a mapping is applied to. */
export interface MappingInput {
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value. */
  readonly body: unknown;
}

/**
 * A mapping took more time or memory than it may. Another attempt may succeed: a process that was stopped or had too
 * little memory says little about its mapping.
 */
export class MappingOverLimit extends Problem {
  constructor(detail: string) {
    super('mapping-failed', { detail });
  }
}

/** Applies mappings, each in a thread of its own that ends with it. */
export interface Mapper {
  /**
   * @param nowMs what the expression takes for now, so that it always gives the same; milliseconds since 1970
   * @returns a JSON value, `undefined` where the expression gives nothing
   * @throws {MappingOverLimit} if it takes too much time or memory
   * @throws {Problem} `mapping-failed`; `unavailable` where it could not be run
   */
  apply(expression: string, input: MappingInput, nowMs: number): Promise<unknown>;
  /** Reads an expression. @throws {Problem} `mapping-failed` where it has an error, with its position */
  check(expression: string): Promise<void>;
  /** Ends its processes. Whatever is still running in them is `unavailable`. */
  close(): void;
}

export interface MapperOptions {
  /** How many expressions are run at once; each takes a process, that then waits for the next. */
  readonly atOnce?: number;
  readonly limits?: MappingLimits;
  /** Whether failures may quote the expression: only where its author reads them. */
  readonly quotes?: boolean;
  /** Starts the processes; Node's `spawn` unless given. */
  readonly startProcess?: StartProcess;
}

/** The mapper, with the limits that are published unless others are given. */
export function mapper(options: MapperOptions = {}): Mapper {
  const { atOnce = 4, limits = MAPPING_LIMITS, quotes = false, startProcess } = options;
  const { run, close } = sandbox(atOnce, limits, startProcess);

  return {
    async apply(expression, { headers, body }, nowMs) {
      requireLength(expression);
      return resultOf(expression, await run(expression, { input: JSON.stringify({ headers, body }), nowMs }));
    },
    async check(expression) {
      requireLength(expression);
      resultOf(expression, await run(expression, { nowMs: 0 }));
    },
    close,
  };

  function requireLength({ length }: string): void {
    if (length <= limits.expressionCharacters) return;
    throw failed(`The mapping is longer than ${limits.expressionCharacters} characters.`);
  }

  function resultOf(expression: string, ran: RunResult): unknown {
    switch (ran.kind) {
      case 'result':
        return ran.json === undefined ? undefined : resultIn(ran.json);
      case 'failed':
        throw failed(`The mapping fails at ${errorText(expression, ran, { quotes })}.`);
      case 'unusable':
        throw failed('The mapping fails, or gives something that is no JSON value.');
      case 'too-large':
        throw failed(`The mapping gives more than ${limits.resultBytes} bytes.`);
      case 'time':
        throw new MappingOverLimit(`The mapping took more than ${limits.timeMs} ms of processor time.`);
      case 'memory':
        throw new MappingOverLimit(`The mapping needed more than ${limits.heapMiB} MiB.`);
    }
  }
}

function resultIn(json: string): unknown {
  try {
    return parseJson(Buffer.from(json), { mostLevels: MAPPING_LIMITS.levels, name: 'result of the mapping' });
  } catch (cause) {
    throw cause instanceof Problem ? failed(cause.message) : cause;
  }
}

function failed(detail: string): Problem {
  return new Problem('mapping-failed', { detail });
}
