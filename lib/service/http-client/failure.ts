import type { Outcome, ProblemType } from '../../contract/problems.ts';

/**
 * The type of a failure: a problem type of Segue, or one of three others. `unknown-problem` is a problem type of a
 * newer Segue, `unreadable-answer` an answer that the client cannot read, and `no-answer` a request without an answer.
 */
export type FailureType = ProblemType | 'unknown-problem' | 'unreadable-answer' | 'no-answer';

/** One fault of a request. */
export interface Fault {
  /** The place of the fault: a JSON pointer (RFC 6901) into the body, or `/query/<name>`, or `/headers/<name>`. */
  readonly pointer: string;
  /** The code of the fault, for programs. It never changes. */
  readonly code: string;
  /** A text for people: what is wrong, and what Segue expects. */
  readonly detail: string;
  /** The accepted values, or those nearest to the sent value; absent if they cannot be listed. */
  readonly allowed?: readonly (string | number)[] | undefined;
  /** The current version of the translation, if the request names another. */
  readonly currentVersion?: number | undefined;
}

/** The description of a failed request. */
export interface Failure {
  readonly type: FailureType;
  /** A short summary of the failure. */
  readonly title: string;
  /** A text for people: what happened. */
  readonly detail: string;
  /** Whether repeating the request later may succeed. */
  readonly retryable: boolean;
  /** Whether the request took effect: `applied`, `not-applied` or `unknown`. */
  readonly outcome: Outcome;
  /** The HTTP status of the answer; absent without an answer. */
  readonly status?: number | undefined;
  /** The request id. Segue's operator can find the request by it. */
  readonly instance?: string | undefined;
  /** The first 100 faults of the request. */
  readonly errors?: readonly Fault[] | undefined;
  /** How long to wait before a retry, in seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** When the project was deleted, if the request failed because of that. */
  readonly deletedAtUtc?: string | undefined;
  /** The id of the operation. Pass it to `waitFor` to learn an unknown outcome. */
  readonly operationId?: string | undefined;
}
