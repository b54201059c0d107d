import type { Refusal } from '../contract/credentials.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../contract/problems.ts';

/**
 * The fields of a log line: ids, counts, sizes, codes and durations. There is no field for content, names, addresses,
 * paths, keys or tokens. No field accepts free text.
 */
export interface LogLine extends FailureFields {
  /** The name of the HTTP operation, workflow task, background function or event, such as `staleSigningKeys`. */
  readonly operation: string;
  readonly requestId: string;
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  /** For a sign-in or refresh: the id of the token family. */
  readonly familyId?: string | undefined;
  /** For rejected credentials: the reason. */
  readonly refusal?: Refusal | undefined;
  /** For rejected credentials: a keyed hash of the sender's address. */
  readonly senderHash?: string | undefined;
  /** For a webhook message: the name of its source, if the source exists. */
  readonly source?: string | undefined;
  /** For a webhook message: its id, if the signature is valid. */
  readonly deliveryId?: string | undefined;
  /** The HTTP status of the answer. */
  readonly status?: number;
  readonly durationMs: number;
  readonly requestBytes?: number;
  /** The size of the answer in bytes, as sent to the client. */
  readonly answerBytes?: number;
  /** For a sweep: the number of removed objects. */
  readonly removed?: number;
  /** For a run of the reconciler: the number of finished operations. */
  readonly settled?: number;
  /** For a run of the reconciler: the number of operations that it gave up. */
  readonly givenUp?: number;
  /** For a background function: the number of items that this run left for the next run. */
  readonly left?: number;
  /** For a background function: how long the oldest item in `left` has waited, in milliseconds. */
  readonly oldestMs?: number;
  /** For an audit: the number of compared projects. */
  readonly checked?: number;
  /** For an audit: the number of projects at the upstream service that no company owns. */
  readonly unowned?: number;
  /** For an audit: the number of projects in the ledger that the upstream service does not have. */
  readonly missing?: number;
  /** For webhook deliveries: the number of deliveries that this run finished. */
  readonly done?: number;
  /** For webhook deliveries: the number of deliveries that this run postponed. */
  readonly postponed?: number;
  /** For webhook deliveries: the number of deliveries that this run gave up. */
  readonly dead?: number;
  /** For webhook deliveries: the number of dead letters. */
  readonly letters?: number;
  /** For automatic translation: the number of segments with a result of the engine. */
  readonly segments?: number;
  /** For automatic translation: the number of characters that the engine charges for. */
  readonly characters?: number;
}

/** The fields of a failure in a log line. */
export interface FailureFields {
  readonly problem?: ProblemType;
  /** The codes of the faults, without repetitions. */
  readonly faults?: readonly string[];
  /** The class, code and stack frames of the error behind the failure. The message of the error is never logged. */
  readonly cause?: Cause;
}

interface Cause {
  readonly name: string;
  readonly code?: string;
  readonly frames: readonly string[];
}

/** Writes a log line. */
export type Log = (line: LogLine) => void;

/** The problems with status 500 and above that no failure causes: the contract answers wrong requests with them. */
const BY_CONTRACT: readonly ProblemType[] = ['team-without-translator', 'not-supported'];

/** Writes each log line as JSON to standard error. Lambda logs standard error like standard output. */
export const logToStandardError: Log = (line) => {
  const isError = line.problem && PROBLEMS[line.problem].status >= 500 && !BY_CONTRACT.includes(line.problem);
  process.stderr.write(`${JSON.stringify({ level: isError ? 'error' : 'info', ...line })}\n`);
};

/**
 * Makes a function that logs that Segue still uses the cached value of a secret, because it failed to read the secret
 * again. The field `durationMs` is the age of the value. An alarm counts these lines.
 */
export function logStaleSecret(operation: string): (ageMs: number, cause: unknown) => void {
  return (ageMs, cause) =>
    logToStandardError({ operation, requestId: 'none', durationMs: ageMs, ...failureFields(cause) });
}

const MAX_FRAMES = 5;

/** Returns the log fields of a failure: the problem type, the fault codes, and the cause without its message. */
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

/**
 * Returns a value that looks like an identifier, such as the name of a class or a code; `undefined` for any other
 * value.
 */
function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.$-]{1,64}$/.test(value) ? value : undefined;
}

/**
 * Returns the stack frames of an error. The message, at the start of the stack, is skipped: it may contain fake frames.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  return frames
    .filter((line) => /^ {4}at .+:\d+:\d+\)?$/.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
