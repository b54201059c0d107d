import type { Outcome, ProblemType } from '../contract/problems.ts';

/** A problem of the catalogue, a problem of a newer Segue, an unreadable answer, or no answer at all. */
export type FailureType = ProblemType | 'unknown-problem' | 'unreadable-answer' | 'no-answer';

/** One fault of a request. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the project; `/query/<name>` and `/headers/<name>` outside it. */
  readonly pointer: string;
  /** Stable, for programs. */
  readonly code: string;
  /** For people: what is wrong and what is expected. */
  readonly detail: string;
  /** The accepted values, or the nearest ones, if they can be listed. */
  readonly allowed?: readonly (string | number)[] | undefined;
}

/** A failed request. */
export interface Failure {
  readonly type: FailureType;
  /** A short summary. */
  readonly title: string;
  /** For people: what happened. */
  readonly detail: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Whether the request took effect. */
  readonly outcome: Outcome;
  /** The HTTP status, if there was an answer. */
  readonly status?: number | undefined;
  /** The request id, for Segue's operator. */
  readonly instance?: string | undefined;
  /** The first 100 faults of the request. */
  readonly errors?: readonly Fault[] | undefined;
  /** How long to wait before a retry, in seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** When the project was deleted. */
  readonly deletedAtUtc?: string | undefined;
  /** The operation to pass to `waitFor` while the outcome is unknown. */
  readonly operationId?: string | undefined;
}

/** A request failed. Nothing in it holds the client's credentials, even if the server repeats them. */
export class SegueError extends Error implements Failure {
  override readonly name = 'SegueError';
  readonly type: FailureType;
  readonly title: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly outcome: Outcome;
  readonly status: number | undefined;
  readonly instance: string | undefined;
  readonly errors: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;
  readonly deletedAtUtc: string | undefined;
  readonly operationId: string | undefined;

  constructor(failure: Failure) {
    super(`${failure.type}: ${failure.detail}`);
    this.type = failure.type;
    this.title = failure.title;
    this.detail = failure.detail;
    this.retryable = failure.retryable;
    this.outcome = failure.outcome;
    this.status = failure.status;
    this.instance = failure.instance;
    this.errors = failure.errors ?? [];
    this.retryAfterSeconds = failure.retryAfterSeconds;
    this.deletedAtUtc = failure.deletedAtUtc;
    this.operationId = failure.operationId;
  }
}
