import type { Outcome } from '../../lib/contract/problems.ts';
import type { Failure, FailureType, Fault } from '../../lib/service/http-client/failure.ts';

/** The error of a failed request. It never contains the client's credentials, even if the server repeats them. */
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
    super(messageOf(failure));
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

/** Returns the type and the detail of a failure, and the first of its faults: a log often has only this text. */
function messageOf({ type, detail, errors: [first] = [] }: Failure): string {
  if (!first) return `${type}: ${detail}`;
  return `${type}: ${detail} ${first.pointer === '' ? '' : `${first.pointer}: `}${first.detail}`;
}
