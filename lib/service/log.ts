import type { Refusal } from '../contract/credentials.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../contract/problems.ts';

/**
 * What a log line may hold: ids, counts, sizes, codes and durations. Content, names, addresses, paths, keys and tokens
 * have no field here, and no field takes free text.
 */
export interface LogLine extends FailureFields {
  /** The operation, task or function. */
  readonly operation: string;
  readonly requestId: string;
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Of a sign-in or refresh: the family of its tokens. */
  readonly familyId?: string | undefined;
  /** Of refused credentials: why, and a keyed hash of the sender's address. */
  readonly refusal?: Refusal | undefined;
  readonly senderHash?: string | undefined;
  /** Of a webhook: the name of its source, once it is known that there is one, and the id of its message, once it is proved. */
  readonly source?: string | undefined;
  readonly deliveryId?: string | undefined;
  /** The answer's, over HTTP. */
  readonly status?: number;
  readonly durationMs: number;
  readonly requestBytes?: number;
  /** As they go to the client. */
  readonly answerBytes?: number;
  /** What a sweep removed, the operations whose end a reconciliation has found, and those that it gave up. */
  readonly removed?: number;
  readonly settled?: number;
  readonly givenUp?: number;
  /** What a run left, and for how long the oldest of that has been due or open. */
  readonly left?: number;
  readonly oldestMs?: number;
  /** What an audit compared; projects at the service that nobody owns; projects with an owner that are not there. */
  readonly checked?: number;
  readonly unowned?: number;
  readonly missing?: number;
  /** How many deliveries of webhooks a run ended well, put off, and gave up; and how many dead letters there are. */
  readonly done?: number;
  readonly postponed?: number;
  readonly dead?: number;
  readonly letters?: number;
}

/** What a log line says of a failure. */
export interface FailureFields {
  readonly problem?: ProblemType;
  /** Codes of the faults that were found, each once. */
  readonly faults?: readonly string[];
  /** Of an unexpected failure: the error's class, its code, and where it was thrown. Never its message. */
  readonly cause?: Cause;
}

interface Cause {
  readonly name: string;
  readonly code?: string;
  readonly frames: readonly string[];
}

/** Where log lines go. */
export type Log = (line: LogLine) => void;

/** Writes each line as JSON to standard error, which Lambda keeps as it keeps standard output. */
export const logToStandardError: Log = (line) => {
  const level = line.problem && PROBLEMS[line.problem].status >= 500 && line.problem !== 'team-without-translator';
  process.stderr.write(`${JSON.stringify({ level: level ? 'error' : 'info', ...line })}\n`);
};

/** Logs that an old value of a secret is used because a read failed. An alarm counts these lines. */
export function logStaleSecret(operation: string): (ageMs: number, cause: unknown) => void {
  return (ageMs, cause) =>
    logToStandardError({ operation, requestId: 'none', durationMs: ageMs, ...failureFields(cause) });
}

const MOST_FRAMES = 5;

/** What may be said of a failure: of a problem what the catalogue and its faults say, of its cause no text at all. */
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

/** A class or code as programs have them; nothing that could be free text. */
function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.$-]{1,64}$/.test(value) ? value : undefined;
}

/** Where an error was thrown. A stack begins with the message, whose lines may quote anything, even look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const end = stack.indexOf(message) + message.length;
  const frames = stack.includes(message) ? stack.slice(end).split('\n') : [];
  return frames
    .filter((line) => /^ {4}at .+:\d+:\d+\)?$/.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim());
}
