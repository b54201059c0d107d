import type { Refusal } from '../contract/credentials.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../contract/problems.ts';

/**
 * The fields of a log line: ids, counts, sizes, codes and durations. Content, names, addresses, paths, keys and tokens have
 * no field, and no field takes free text.
 */
export interface LogLine extends FailureFields {
  /** The operation, task or function. */
  readonly operation: string;
  readonly requestId: string;
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Of a sign-in or refresh: the family of its tokens. */
  readonly familyId?: string | undefined;
  /** Of rejected credentials: the reason, and a keyed hash of the sender's address. */
  readonly refusal?: Refusal | undefined;
  readonly senderHash?: string | undefined;
  /** Of a webhook: the name of its source if it exists, and the id of its message if the signature is valid. */
  readonly source?: string | undefined;
  readonly deliveryId?: string | undefined;
  /** The HTTP status of the answer. */
  readonly status?: number;
  readonly durationMs: number;
  readonly requestBytes?: number;
  /** As sent to the client. */
  readonly answerBytes?: number;
  /** The objects that a sweep removed; the operations that a reconciliation finished, and those that it gave up. */
  readonly removed?: number;
  readonly settled?: number;
  readonly givenUp?: number;
  /** How many items a run of a background function left for the next run. */
  readonly left?: number;
  /** How long the oldest of these items has waited, in milliseconds. */
  readonly oldestMs?: number;
  /** Of an audit: compared projects, upstream projects without an owner, and owned projects that upstream lacks. */
  readonly checked?: number;
  readonly unowned?: number;
  readonly missing?: number;
  /** Webhook deliveries that a run finished, postponed and gave up; and the number of dead letters. */
  readonly done?: number;
  readonly postponed?: number;
  readonly dead?: number;
  readonly letters?: number;
}

/** The fields of a failure in a log line. */
export interface FailureFields {
  readonly problem?: ProblemType;
  /** The codes of the faults, each once. */
  readonly faults?: readonly string[];
  /** The class, code and stack frames of an unexpected error. Never its message. */
  readonly cause?: Cause;
}

interface Cause {
  readonly name: string;
  readonly code?: string;
  readonly frames: readonly string[];
}

/** Writes a log line. */
export type Log = (line: LogLine) => void;

/** Writes each line as JSON to standard error. Lambda logs it like standard output. */
export const logToStandardError: Log = (line) => {
  const level = line.problem && PROBLEMS[line.problem].status >= 500 && line.problem !== 'team-without-translator';
  process.stderr.write(`${JSON.stringify({ level: level ? 'error' : 'info', ...line })}\n`);
};

/** Logs that an old value of a secret is used because a read failed. An alarm counts these lines. */
export function logStaleSecret(operation: string): (ageMs: number, cause: unknown) => void {
  return (ageMs, cause) =>
    logToStandardError({ operation, requestId: 'none', durationMs: ageMs, ...failureFields(cause) });
}

const MAX_FRAMES = 5;

/** Returns the log fields of a failure: the problem and its fault codes, and its cause without any text. */
export function failureFields(error: unknown): FailureFields {
  if (!(error instanceof Problem)) return { problem: 'internal-error', cause: causeOf(error) };
  const codes = error.occurrence.errors?.map(({ code }) => code);
  return {
    problem: error.name,
    ...(codes && { faults: [...new Set(codes)] }),
    ...(error.cause !== undefined && { cause: causeOf(error.cause) }),
  };
}

function causeOf(error: unknown): Cause {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] };
  const code = 'code' in error ? word(error.code) : undefined;
  return { name: word(error.name) ?? 'Error', ...(code && { code }), frames: framesOf(error) };
}

/** An identifier such as a class or code; `undefined` for text. */
function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.$-]{1,64}$/.test(value) ? value : undefined;
}

/** The stack frames of an error. The stack begins with the message, whose lines may contain anything, even fake frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  return frames
    .filter((line) => /^ {4}at .+:\d+:\d+\)?$/.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
