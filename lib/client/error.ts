import type { Outcome, ProblemType } from '../contract/problems.ts';

/**
 * What went wrong: a problem of the catalogue, one that only a newer Segue knows, an answer that is not Segue's or
 * cannot be read, or no answer at all.
 */
export type FailureType = ProblemType | 'unknown-problem' | 'unreadable-answer' | 'no-answer';

/** One thing that is wrong with a request. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the project; `/query/<name>` and `/headers/<name>` outside it. */
  readonly pointer: string;
  /** Stable and made for programs. */
  readonly code: string;
  /** For people: what is wrong, and what would be right. */
  readonly detail: string;
  /** The values that would be right, or the nearest ones, where they can be listed. */
  readonly allowed?: readonly (string | number)[] | undefined;
}

/** What is known of a request that failed. */
export interface Failure {
  readonly type: FailureType;
  /** In short. */
  readonly title: string;
  /** For people: what happened this time. */
  readonly detail: string;
  /** Whether the very same request may succeed later. */
  readonly retryable: boolean;
  /** What became of the request. */
  readonly outcome: Outcome;
  /** Absent where there was no answer. */
  readonly status?: number | undefined;
  /** The request id, by which Segue's operator finds it. */
  readonly instance?: string | undefined;
  /** Every fault of the request that was found. */
  readonly errors?: readonly Fault[] | undefined;
  /** When it may succeed. */
  readonly retryAfterSeconds?: number | undefined;
  /** Of a project that is gone: when it was deleted. */
  readonly deletedAtUtc?: string | undefined;
  /** Of an outcome that is not known yet: what `waitFor` takes. */
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
