import { teamWithoutTranslator } from '../contract/check.ts';
import type { Problem } from '../contract/problem.ts';
import { failures } from '../service/failures.ts';
import { isAbsence } from './absence.ts';
import { LockedOut, upstreamFailures } from './failures.ts';
import { changesSomething, type Operation } from './operations.ts';
import { type Reported, reportedBy } from './reported.ts';
import { retryAfterSeconds } from './retry-after.ts';
import type { Answer, NoAnswer } from './transport.ts';

/** What was asked for when a failure came. */
export interface Asked {
  readonly operation: Operation;
  /** The value that was sent. */
  readonly sent?: unknown;
}

const UNKNOWN = 'The service may have carried out the request: its answer was lost or cannot be read.';

/** What an answer without success means. */
export function refusalOf(answer: Answer, asked: Asked, nowMs: number): Problem {
  const { operation } = asked;
  const { status, headers } = answer;
  const reported = reportedBy(answer, asked.sent);
  if (reported && operation.passesOn.includes(reported.type)) return passedOn(reported);
  if (status === 404 && operation.passesOn.includes('project-not-found')) {
    // What it says could be the second answer to a request that a proxy sent twice: only a whole one is believed.
    if (answer.body === 'lost' && changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN);
    // Another problem of ours, such as `route-not-found`, is about no project.
    return !reported && isAbsence(answer)
      ? failures.projectNotFound()
      : upstreamFailures.refused('Something at the base URL answers 404, and not as the service does.');
  }
  if (status === 413 && operation.method === 'POST') return upstreamFailures.tooLarge();
  // Whatever its body is: it may be the second answer to a request that a proxy sent twice.
  if (status === 409 && operation.passesOn.includes('custom-id-in-use')) return failures.customIdInUse();
  if (isLockedOut(answer))
    return upstreamFailures.unavailable(
      'The service does not take the credentials it is called with.',
      undefined,
      new LockedOut(status),
    );
  if (status === 429 || status === 503) {
    return upstreamFailures.unavailable(
      'The service takes no requests now.',
      retryAfterSeconds(headers['retry-after'], nowMs),
    );
  }
  if (isRedirect(status, operation))
    return upstreamFailures.refused(`The service answers with a redirect, status ${status}, and none is followed.`);
  if (status >= 400 && status < 500 && status !== 408) {
    return upstreamFailures.refused(`The service refused the request with status ${status}, for a reason of its own.`);
  }
  if (changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN);
  return status >= 400
    ? upstreamFailures.unavailable('The service failed.')
    : upstreamFailures.invalid('The service gave an answer that the contract does not have.');
}

/** What it means that there was no answer. */
export function silenceOf(failure: NoAnswer, operation: Operation): Problem {
  if (failure.sent && changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN, failure);
  const { retryAfterSeconds } = failure;
  return retryAfterSeconds === undefined
    ? upstreamFailures.unavailable('The service cannot be reached, or did not answer in time.', undefined, failure)
    : upstreamFailures.unavailable('The service takes no requests now.', retryAfterSeconds, failure);
}

/** What a success means whose body cannot be read. */
export function unreadable({ body }: Answer, operation: Operation): Problem {
  if (changesSomething(operation)) return upstreamFailures.outcomeUnknown(UNKNOWN);
  return body === 'lost'
    ? upstreamFailures.unavailable('The answer of the service broke off.')
    : upstreamFailures.invalid('The service gave an answer that the contract does not have.');
}

/** Whether the service did not accept the credentials. */
export function isLockedOut({ status }: Answer): boolean {
  return status === 401 || status === 403;
}

/** A redirect that says that nothing was done here. 302 and 303 may also follow on something done. */
function isRedirect(status: number, operation: Operation): boolean {
  return changesSomething(operation) ? [301, 307, 308].includes(status) : status >= 300 && status < 400;
}

function passedOn({ type, errors }: Reported): Problem {
  switch (type) {
    case 'project-not-found':
      return failures.projectNotFound();
    case 'task-not-found':
      return failures.taskNotFound();
    case 'custom-id-in-use':
      return failures.customIdInUse();
    case 'team-without-translator':
      return teamWithoutTranslator();
    default:
      return upstreamFailures.refused(
        'The service refused the project with status 400, for what `errors` lists where it said it.',
        errors,
      );
  }
}
