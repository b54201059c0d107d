import { routeOf } from '../contract/routes.ts';
import type { Deadline } from '../service/deadline.ts';
import { retryAfterSeconds } from '../service/retry.ts';
import { type Failure, SegueError } from './error.ts';
import { readProblem } from './failures.ts';
import { type RequestDeps, sendRequest } from './requests.ts';
import { RESPONSES, readAs } from './responses.ts';
import type { Operation } from './types.ts';

/** The pause between two requests if Segue asks for none. */
const POLL_SECONDS = 2;

/** The result of a request, or the operation that goes on in the background. */
export type SentResult<T> = { readonly value: T } | { readonly operationId: string };

/** The operation of a failure with an unknown outcome. Throws any other failure again. */
export function openOperationOf(error: unknown): { readonly operationId: string } {
  if (!(error instanceof SegueError) || error.outcome !== 'unknown' || error.operationId === undefined) throw error;
  return { operationId: error.operationId };
}

/** Requests the state of an operation, and after how many seconds to request it again. */
export function requestOperation(
  operationId: string,
  deadline: Deadline,
  deps: RequestDeps,
): Promise<{ readonly operation: Operation; readonly againSeconds: number }> {
  const read = readAs(RESPONSES.operation);
  return sendRequest(
    {
      route: routeOf('getOperation'),
      pathParameter: operationId,
      read(response) {
        const operation = read(response);
        const againSeconds = retryAfterSeconds(response.headers['retry-after'], deps.now()) ?? POLL_SECONDS;
        return operation && { operation, againSeconds };
      },
    },
    deadline,
    deps,
  );
}

/**
 * Waits for the result of an operation.
 * @param resultOf takes the result from an operation that is done
 * @throws {SegueError} if the operation failed; `outcome-unknown` if it is still running at the deadline
 */
export async function waitForOperation<T>(
  operationId: string,
  resultOf: (done: Operation) => T | undefined,
  deadline: Deadline,
  deps: RequestDeps,
): Promise<T> {
  for (;;) {
    const { operation, againSeconds } = await requestOperation(operationId, deadline, deps).catch((error: unknown) => {
      // A failure of this request says nothing about the operation.
      throw error instanceof SegueError ? deps.errorOf({ ...error, outcome: 'unknown', operationId }) : error;
    });
    if (operation.status !== 'running') return resultIn(operation, resultOf, deps);
    if (againSeconds * 1_000 >= deadline.remainingMs()) throw deps.errorOf(stillRunning(operationId));
    await deps.sleep(againSeconds * 1_000);
  }
}

function resultIn<T>(
  operation: Operation,
  resultOf: (done: Operation) => T | undefined,
  { errorOf }: Pick<RequestDeps, 'errorOf'>,
): T {
  const problem = readProblem(operation.problem);
  const result = operation.status === 'done' && !problem ? resultOf(operation) : undefined;
  if (result !== undefined) return result;
  throw errorOf(
    problem ?? {
      type: 'unreadable-answer',
      title: 'The answer is not from Segue',
      detail: 'The operation has ended, but its result cannot be read.',
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
