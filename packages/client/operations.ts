import { ROUTES } from '../../lib/contract/wire-routes.ts';
import type { Deadline } from '../../lib/service/deadline.ts';
import type { TransportResponse } from '../../lib/service/http-client/exchange.ts';
import type { Failure } from '../../lib/service/http-client/failure.ts';
import { readProblem } from '../../lib/service/http-client/read-failure.ts';
import { type ApiRequest, type RequestDeps, readAs, sendRequest } from '../../lib/service/http-client/send-request.ts';
import type { Shape } from '../../lib/service/http-client/shapes.ts';
import { retryAfterSeconds } from '../../lib/service/retry.ts';
import { SegueError } from './error.ts';
import { RESPONSES, startedOperation } from './responses.ts';
import type { Operation, WriteOptions } from './types.ts';

/** A request that changes something, and how its result is read: from the response, or from the operation. */
export interface Change<T> extends Omit<ApiRequest<T>, 'key' | 'read'> {
  readonly shape: Shape<T>;
  /** Absent if an operation does not show the result. Then the request is repeated under its key to read it. */
  readonly resultOf?: (operation: Operation) => T | undefined;
}

/** The result of a request, or the id of the operation that continues in the background. */
type SentResult<T> = { readonly value: T } | { readonly operationId: string };

/** The pause before an operation is requested again, in seconds, if Segue sends no `Retry-After`. */
const POLL_SECONDS = 2;

const NO_OPERATION =
  'waitFor needs the id of an operation, or an object that has it as "operationId": a SegueError, or a receipt that ' +
  'says pending. To wait for the translations of a project, repeat getProgress';

/** Returns the id of an operation. @throws {TypeError} if the object has no operation id */
export function operationIdOf(operation: string | { readonly operationId?: string | undefined }): string {
  // A caller in JavaScript may pass the id of a project.
  const operationId = typeof operation === 'string' ? operation : operation?.operationId;
  if (typeof operationId !== 'string') throw new TypeError(NO_OPERATION);
  return operationId;
}

/** Sends a request that changes something with an idempotency key, and waits for its result. */
export async function sendOnce<T>(
  { shape, resultOf, ...request }: Change<T>,
  options: WriteOptions,
  deadline: Deadline,
  deps: RequestDeps,
): Promise<T> {
  const key = options.idempotencyKey ?? crypto.randomUUID();
  const read = (response: TransportResponse): SentResult<T> | undefined => {
    if (response.headers['idempotent-replayed'] === 'true') options.onReplay?.();
    const value = readAs(shape)(response);
    return value ? { value } : readAs(startedOperation)(response);
  };
  for (;;) {
    const sent = await sendRequest({ ...request, key, read }, deadline, deps).catch(openOperationOf);
    if ('value' in sent) return sent.value;
    try {
      if (resultOf) return await waitForOperation(sent.operationId, resultOf, deadline, deps);
      await waitForOperation(sent.operationId, (done) => done, deadline, deps);
    } catch (error) {
      // Nothing was recorded of the request, so Segue runs a repetition with the same key, or returns the late result.
      const isUnrecorded = error instanceof SegueError && error.type === 'operation-not-found';
      if (!isUnrecorded || POLL_SECONDS * 1_000 >= deadline.remainingMs()) throw error;
      await deps.sleep(POLL_SECONDS * 1_000);
    }
  }
}

/**
 * Returns the operation id of a failure whose outcome is unknown.
 * @throws the given error, if it is any other error or has no operation id
 */
function openOperationOf(error: unknown): { readonly operationId: string } {
  if (!(error instanceof SegueError) || error.outcome !== 'unknown' || error.operationId === undefined) throw error;
  return { operationId: error.operationId };
}

/**
 * Requests the state of an operation.
 * @returns the operation, and in `againSeconds` how many seconds to wait before the next request
 */
export function requestOperation(
  operationId: string,
  deadline: Deadline,
  deps: RequestDeps,
): Promise<{ readonly operation: Operation; readonly againSeconds: number }> {
  const read = readAs(RESPONSES.operation);
  return sendRequest(
    {
      route: ROUTES.getOperation,
      pathParameters: [operationId],
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
 * @param resultOf reads the result of an operation that is done
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
      // This request only reads the state. If it fails, the outcome of the operation is still unknown.
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
      title: 'The answer is unreadable',
      detail: 'The operation has ended, but the client cannot read its result.',
      retryable: false,
      outcome: operation.status === 'done' ? 'applied' : 'not-applied',
    },
  );
}

function stillRunning(operationId: string): Failure {
  return {
    type: 'outcome-unknown',
    title: 'The outcome is unknown',
    detail: 'The operation did not end within the timeout. To go on waiting, call waitFor.',
    retryable: false,
    outcome: 'unknown',
    operationId,
  };
}
