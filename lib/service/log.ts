import { ALERTS, type AlertCode } from '../contract/alerts.ts';
import type { Refusal, SignatureFault } from '../contract/basic-credentials.ts';
import type { CanaryCheck } from '../contract/canary.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../contract/problems.ts';

/** The version of this release, as `package.json` has it. */
export const VERSION = '0.1.0';

/**
 * The fields of a log line: ids, counts, sizes, codes and durations. There is no field for content, names, addresses,
 * paths, keys or tokens. No field accepts free text.
 */
export interface LogLine extends FailureFields {
  /** The name of the HTTP operation, workflow task, background function or event, such as `staleSigningKeys`. */
  readonly operation: string;
  readonly requestId: string;
  /** The trace, which joins the lines of a request with those of the work that it starts. */
  readonly traceId?: string | undefined;
  /** What an operator must know, if the line is an alert. An alarm counts the alerts. */
  readonly alert?: AlertCode | undefined;
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  /** For a sign-in or refresh: the id of the token family. */
  readonly familyId?: string | undefined;
  /** For rejected credentials: the reason. */
  readonly refusal?: Refusal | undefined;
  /** For rejected credentials: a keyed hash of the sender's address. */
  readonly senderHash?: string | undefined;
  /** For a failed translation, and for results to a destination: the id of the project. */
  readonly projectId?: number | undefined;
  /** For a failed translation: the code of the target language. */
  readonly languageCode?: string | undefined;
  /** For a webhook message: the name of its source, if the source exists. */
  readonly source?: string | undefined;
  /** For a webhook message: its id, if the signature is valid. */
  readonly deliveryId?: string | undefined;
  /** For a webhook message with an invalid signature: the reason. */
  readonly signature?: SignatureFault | undefined;
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
  /** For a function of a stream: how long the last of its records has waited, in milliseconds. */
  readonly lagMs?: number;
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
  /** For the canary: the check that failed. */
  readonly check?: CanaryCheck | undefined;
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

/** Whether Segue, or a service behind it, failed. */
function isFailure(problem: ProblemType | undefined): boolean {
  return problem !== undefined && PROBLEMS[problem].status >= 500 && !BY_CONTRACT.includes(problem);
}

/** The environment variables of Lambda that say which function writes a line. Other environments have none. */
interface LambdaVariables {
  readonly AWS_LAMBDA_FUNCTION_VERSION?: string | undefined;
  /** How the environment was started: `on-demand` if a caller waited for it. */
  readonly AWS_LAMBDA_INITIALIZATION_TYPE?: string | undefined;
}

/**
 * Makes a log that writes each line as JSON. The filters of alarms read the fields `alarm` and `points` of an alert. On
 * Lambda, each line has the version of the function and of the release, and the first line of an environment says that
 * the caller waited for its start.
 * @param write gets each line, with a line break at its end
 */
export function jsonLog(environment: LambdaVariables, write: (text: string) => void): Log {
  const { AWS_LAMBDA_FUNCTION_VERSION: functionVersion, AWS_LAMBDA_INITIALIZATION_TYPE: type } = environment;
  let isColdStart = type === 'on-demand';
  return (line) => {
    const level = isFailure(line.problem) ? 'error' : 'info';
    const alert = line.alert && ALERTS[line.alert];
    const versions = functionVersion === undefined ? {} : { functionVersion, release: VERSION };
    write(`${JSON.stringify({ level, ...line, ...alert, ...(isColdStart && { coldStart: true }), ...versions })}\n`);
    isColdStart = false;
  };
}

const toStandardError = (text: string) => void process.stderr.write(text);

/** Makes a writer that passes on the lines of one turn of the event loop together, which costs much less. */
function together(write: (text: string) => void): (text: string) => void {
  let pending = '';
  const flush = () => {
    if (pending !== '') write(pending);
    pending = '';
  };
  process.once('exit', flush);
  return (text) => {
    if (pending === '') setImmediate(flush);
    pending += text;
  };
}

/**
 * Writes each log line to standard error. Lambda logs standard error like standard output. On Lambda, each line is
 * written at once, because an environment may be frozen as soon as it has answered.
 */
export const logToStandardError: Log = jsonLog(
  process.env,
  process.env['AWS_LAMBDA_FUNCTION_VERSION'] === undefined ? together(toStandardError) : toStandardError,
);

/**
 * Makes a function that logs that Segue still uses the cached value of a secret, because it failed to read the secret
 * again. The field `durationMs` is the age of the value.
 */
export function logStaleSecret(operation: string): (ageMs: number, cause: unknown) => void {
  return (ageMs, cause) => logToStandardError({ ...eventLine(operation, 'stale-secret', cause), durationMs: ageMs });
}

/** Logs that a table failed by itself. A retry may then succeed, so no request need fail. */
export function logTableFailure(cause: unknown): void {
  logToStandardError(eventLine('tableFailed', 'table-failed', cause));
}

function eventLine(operation: string, alert: AlertCode, cause: unknown): LogLine {
  return { operation, requestId: 'none', alert, durationMs: 0, ...failureFields(cause) };
}

/**
 * The alerts of failures by the name of the cause, the code of the cause, or the problem. Any other failure of Segue or
 * of a service behind it is a `request-failed`.
 */
const ALERT_OF: ReadonlyMap<string | undefined, AlertCode> = new Map([
  ['LockedOut', 'upstream-locked-out'],
  ['HELD_BACK', 'upstream-held-back'],
  ['unavailable', 'unavailable'],
  ['outcome-unknown', 'outcome-unknown'],
  ['upstream-unavailable', 'upstream-unusable'],
  ['invalid-signature', 'invalid-signatures'],
]);

/** Returns the alert of the failure of a request or a task; `undefined` if an operator need not know of it. */
export function alertOf({ problem, cause }: FailureFields): AlertCode | undefined {
  const named = ALERT_OF.get(cause?.name) ?? ALERT_OF.get(cause?.code) ?? ALERT_OF.get(problem);
  return named ?? (isFailure(problem) ? 'request-failed' : undefined);
}

/** Returns the log fields of an attempt: those of its failure, if it failed. */
export function attemptFields(error: unknown): FailureFields {
  return error === undefined ? {} : failureFields(error);
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

/** Returns the class, the code and the stack frames of an error, without its message. */
export function causeOf(error: unknown): Cause {
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
