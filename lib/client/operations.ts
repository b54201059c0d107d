import { routeOf } from '../contract/routes.ts';
import type { Deadline } from '../service/deadline.ts';
import { saidRetryAfter } from '../upstream/retry-after.ts';
import { ANSWERS, as } from './answers.ts';
import { type Failure, SegueError } from './error.ts';
import { readProblem } from './failures.ts';
import { type RequestsOptions, request } from './requests.ts';
import type { Operation } from './types.ts';

/** How long to wait where Segue does not say it. */
const POLL_SECONDS = 2;

/** What a request that was sent has come to, or which operation to ask for it. */
export type Sent<T> = { readonly value: T } | { readonly operationId: string };

/** The operation to ask after a failure that leaves the outcome open; any other failure is thrown again. */
export function operationLeft(error: unknown): { readonly operationId: string } {
  if (!(error instanceof SegueError) || error.outcome !== 'unknown' || error.operationId === undefined) throw error;
  return { operationId: error.operationId };
}

/** Tells what became of a request, as it stands, and after how many seconds to ask again. */
export function askOperation(
  operationId: string,
  deadline: Deadline,
  options: RequestsOptions,
): Promise<{ readonly operation: Operation; readonly againSeconds: number }> {
  const read = as(ANSWERS.operation);
  return request(
    {
      route: routeOf('getOperation'),
      place: operationId,
      read(answer) {
        const operation = read(answer);
        const againSeconds = saidRetryAfter(answer.headers['retry-after'], options.now()) ?? POLL_SECONDS;
        return operation && { operation, againSeconds };
      },
    },
    deadline,
    options,
  );
}

/**
 * Asks until it is known what became of a request.
 * @param resultOf what is wanted of an operation that is done
 * @throws {SegueError} why nothing was done, or why there is nothing to give; `outcome-unknown` where the time is over
 */
export async function waitForOperation<T>(
  operationId: string,
  resultOf: (done: Operation) => T | undefined,
  deadline: Deadline,
  options: RequestsOptions,
): Promise<T> {
  for (;;) {
    const { operation, againSeconds } = await askOperation(operationId, deadline, options).catch((error: unknown) => {
      // That this question did nothing says nothing about what it is about.
      throw error instanceof SegueError ? options.errorOf({ ...error, outcome: 'unknown', operationId }) : error;
    });
    if (operation.status !== 'running') return ended(operation, resultOf, options);
    if (againSeconds * 1_000 >= deadline.remainingMs()) throw options.errorOf(stillRunning(operationId));
    await options.sleep(againSeconds * 1_000);
  }
}

function ended<T>(
  operation: Operation,
  resultOf: (done: Operation) => T | undefined,
  { errorOf }: Pick<RequestsOptions, 'errorOf'>,
): T {
  const problem = readProblem(operation.problem);
  const result = operation.status === 'done' && !problem ? resultOf(operation) : undefined;
  if (result !== undefined) return result;
  throw errorOf(
    problem ?? {
      type: 'unreadable-answer',
      title: 'The answer is not one of Segue',
      detail: 'An operation has ended, and what it came to cannot be read.',
      retryable: false,
      outcome: operation.status === 'done' ? 'applied' : 'not-applied',
    },
  );
}

function stillRunning(operationId: string): Failure {
  return {
    type: 'outcome-unknown',
    title: 'The outcome is unknown',
    detail: 'The operation is still running.',
    retryable: false,
    outcome: 'unknown',
    operationId,
  };
}
