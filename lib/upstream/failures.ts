import * as failures from '../contract/failures.ts';
import { Problem } from '../contract/problem.ts';
import { OUT_OF_TIME } from '../service/http-client/exchange.ts';
import type { Failure, UpstreamFailure } from './upstream-answer.ts';

/** The `Retry-After` for a caller, in seconds, if the upstream service asked for no pause. */
const DEFAULT_RETRY_AFTER_SECONDS = 5;

/** Makes the problem for the caller from a failure at the upstream service. */
export function problemFrom(failure: UpstreamFailure): Problem {
  switch (failure.kind) {
    case 'absent':
      return failure.what === 'task' ? failures.taskNotFound() : failures.projectNotFound(failure.deletedAtUtc);
    case 'refused': {
      if (!('detail' in failure))
        return failure.type === 'custom-id-in-use' ? failures.customIdInUse() : failures.teamWithoutTranslator();
      const { type, detail, errors } = failure;
      return new Problem(type, { detail, ...(errors.length > 0 && { errors }) });
    }
    case 'busy': {
      const { detail, retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS, cause } = failure;
      if (cause instanceof Problem) return cause;
      return new Problem('upstream-unavailable', { detail, retryAfterSeconds }, { cause });
    }
    case 'lost':
      return unknownOutcome({}, failure);
    case 'unreadable':
      return new Problem('upstream-invalid', { detail: failure.detail });
  }
}

/** Returns an answer if it has a result. @throws {Problem} if not */
export function requireOk<T extends { readonly kind: 'ok' }>(answer: T | UpstreamFailure): T {
  if (answer.kind !== 'ok') throw problemFrom(answer);
  return answer;
}

/**
 * Makes the problem of an operation whose outcome is unknown.
 * @param operation the operation by which the caller can look up the result; without an id if no result is kept
 * @param lost the answer to the request; its cause shows whether the request may still be running
 */
export function unknownOutcome(
  { operationId }: { readonly operationId?: string },
  { cause }: Partial<Failure<'lost'>> = {},
  detail: string = failures.UPSTREAM.lost,
): Problem {
  const id = operationId !== undefined && { operationId };
  const isRunning = cause?.code === OUT_OF_TIME && { isRunning: true };
  return new Problem('outcome-unknown', { detail, ...id, ...isRunning }, { cause });
}
