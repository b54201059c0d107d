import { mappingFailed } from '../../contract/failures.ts';
import { parseJson } from '../../contract/json.ts';
import { Problem } from '../../contract/problem.ts';
import { positionOf, type TextPosition } from '../../contract/text-position.ts';
import { ERROR_TEXTS } from './error-texts.data.ts';
import { MAPPING_LIMITS, type SandboxLimits } from './limits.ts';
import { type StartProcess, sandbox } from './sandbox.ts';
import type { RunResult } from './sandbox-program.ts';

/** The input of a mapping: a webhook message. */
export interface MappingInput {
  /** The headers that the mapping may read, by lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body: a JSON value. */
  readonly body: unknown;
  /** The fetched entry as JSON; absent if nothing was fetched. */
  readonly fetchedJson?: string | undefined;
}

/** An expression of a source, for error texts. */
export type ExpressionName = 'mapping' | 'fetch expression';

/** The problem of a mapping that exceeded its limit of time or memory. A retry may succeed on a less busy machine. */
export class MappingOverLimit extends Problem {
  constructor(detail: string) {
    super('mapping-failed', { detail });
  }
}

/** The problem of a mapping that JSONata refuses, or that fails at a place of the expression. */
export class MappingFault extends Problem {
  readonly expression: ExpressionName;
  readonly position: TextPosition;

  constructor(detail: string, expression: ExpressionName, position: TextPosition) {
    super('mapping-failed', { detail });
    this.expression = expression;
    this.position = position;
  }
}

/** Applies mappings in a sandbox. */
export interface Mapper {
  /**
   * Applies a mapping to a message.
   * @param nowMs the time that the expression sees, in milliseconds since 1970; it makes the result repeatable
   * @param name the name of the expression in error texts; `mapping` by default
   * @returns a JSON value; `undefined` if the expression returns nothing
   * @throws {MappingOverLimit} if the expression takes too much time or memory
   * @throws {Problem} `mapping-failed`; `unavailable` if the expression could not be run
   */
  apply(expression: string, input: MappingInput, nowMs: number, name?: ExpressionName): Promise<unknown>;
  /** Checks the syntax of an expression. @throws {Problem} `mapping-failed` with the position of the error */
  check(expression: string, name?: ExpressionName): Promise<void>;
  /** Ends the sandbox. Runs in progress fail with `unavailable`. */
  close(): void;
}

/** Applies mappings to any input. */
export interface JsonMapper {
  /** Applies a mapping to an input that is JSON already, like `Mapper.apply`. */
  applyToJson(expression: string, json: string, nowMs: number, name?: ExpressionName): Promise<unknown>;
}

/** The options of a mapper. */
export interface MapperOptions {
  /** How many expressions may run at once, each in its own process; 4 unless given. */
  readonly atOnce?: number;
  readonly limits?: SandboxLimits;
  /** Whether error texts may quote the expression. Set it only if the author of the expression reads the texts. */
  readonly quotes?: boolean;
  /** Starts a process; Node's `spawn` unless given. */
  readonly startProcess?: StartProcess;
}

/** Creates a mapper with its own sandbox. */
export function mapper(options: MapperOptions = {}): Mapper & JsonMapper {
  const { atOnce = 4, limits = MAPPING_LIMITS, quotes = false, startProcess } = options;
  const { run, close } = sandbox(atOnce, limits, startProcess);

  async function applyToJson(
    expression: string,
    input: string,
    nowMs: number,
    name: ExpressionName = 'mapping',
  ): Promise<unknown> {
    requireLength(expression, name);
    return resultOf(expression, name, await run(expression, { input, nowMs }));
  }

  return {
    apply: (expression, input, nowMs, name) => applyToJson(expression, jsonOf(input), nowMs, name),
    applyToJson,
    async check(expression, name = 'mapping') {
      requireLength(expression, name);
      resultOf(expression, name, await run(expression, { nowMs: 0 }));
    },
    close,
  };

  function requireLength({ length }: string, name: ExpressionName): void {
    const { expressionCharacters } = MAPPING_LIMITS;
    if (length <= expressionCharacters) return;
    throw mappingFailed(`The ${name} is longer than ${expressionCharacters} characters.`);
  }

  function resultOf(expression: string, name: ExpressionName, ran: RunResult): unknown {
    switch (ran.kind) {
      case 'result':
        return ran.json === undefined ? undefined : resultIn(ran.json, name);
      case 'failed':
        throw new MappingFault(
          `The ${name} fails at ${errorText(expression, ran, { quotes })}.`,
          name,
          placeOf(expression, ran),
        );
      case 'unusable':
        throw mappingFailed(`The ${name} fails, or returns a value that JSON cannot hold.`);
      case 'too-large':
        throw mappingFailed(`The ${name} returns more than ${limits.resultBytes} bytes.`);
      case 'time':
        throw new MappingOverLimit(`The ${name} took more than ${limits.timeMs} ms of processor time.`);
      case 'memory':
        throw new MappingOverLimit(`The ${name} needed more than ${limits.heapMiB} MiB.`);
    }
  }
}

/** Returns the input of an expression as JSON. What was fetched may be large, so it is not parsed again. */
function jsonOf({ headers, body, fetchedJson }: MappingInput): string {
  const message = JSON.stringify({ headers, body });
  return fetchedJson === undefined ? message : `${message.slice(0, -1)},"fetched":${fetchedJson}}`;
}

function resultIn(json: string, name: ExpressionName): unknown {
  try {
    return parseJson(Buffer.from(json), { maxLevels: MAPPING_LIMITS.levels, name: `result of the ${name}` });
  } catch (cause) {
    throw cause instanceof Problem ? mappingFailed(cause.message) : cause;
  }
}

/** An error that JSONata reported. */
type ExpressionError = Extract<RunResult, { kind: 'failed' }>;

/** Matches a symbol of JSONata's grammar. Other texts are not shown. */
const SYMBOL = /^[^\s\p{L}\p{N}\p{C}]{1,3}$/u;
/** Matches text that is safe to print: a terminal would act on control characters. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,40}$/u;

/** Matches a character that is not safe to print. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/**
 * Describes an error with its position, such as "line 1, column 21: expected `}`".
 * @param quotes whether the text may quote the expression; only its author may read such a text
 */
export function errorText(
  expression: string,
  error: ExpressionError,
  { quotes }: { readonly quotes: boolean },
): string {
  const { code, expected = '', index, token = '', asserted } = error;
  const words = (ERROR_TEXTS[code] ?? 'the expression fails here')
    .replace('{expected}', SYMBOL.test(expected) ? `\`${expected}\`` : 'another symbol')
    .replace(' {index}', index === undefined ? '' : ` ${index}`);
  const { line, column } = placeOf(expression, error);
  if (quotes && asserted !== undefined)
    return `line ${line}, column ${column}: ${words}: ${asserted.replace(UNPRINTABLE, '�')}`;
  const isQuoted = quotes && token !== END && PRINTABLE.test(token);
  return `line ${line}, column ${column}: ${words}${isQuoted ? `, near \`${token}\`` : ''}`;
}

/** The token that JSONata reports at the end of an expression. */
const END = '(end)';

/** Returns the position of an error. JSONata reports the end of the token, or of a `(` or quote after it. */
function placeOf(expression: string, { position, token = '' }: ExpressionError): TextPosition {
  return positionOf(expression, startOf(expression, position, token));
}

function startOf(expression: string, position: number, token: string): number {
  if (token === END) return expression.trimEnd().length;
  const start = token === '' ? -1 : expression.lastIndexOf(token, position - 1);
  if (start === -1 || start < position - token.length - 2) return Math.max(0, position - 1);
  return start > 0 && /[$"'`]/.test(expression.charAt(start - 1)) ? start - 1 : start;
}
