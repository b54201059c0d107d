import { idempotencyKeyReused, projectDeleted } from '../contract/failures.ts';
import { companyPartition, projectKey } from '../records/keys.ts';
import { type RequestIdentity, recordKey } from '../records/request-record.ts';
import { deletionTime } from '../records/tombstones.ts';
import { leaseMsOf } from '../service/deadline.ts';
import { type CallContext, operationIdOf } from '../service/port.ts';
import { inTurns } from '../service/turn.ts';
import { fingerprintSteps, isSameRequest } from './identity.ts';
import { type IdempotencyDeps, type KeyedOperation, type OfProject, operationNamed } from './keyed-operation.ts';
import {
  type Attempt,
  type IdempotentRequest,
  type Outcome,
  type Plan,
  type ResultWrite,
  runIdempotent,
} from './run-idempotent.ts';

/** A request of an operation that changes something. */
export interface KeyedRequest<Input, Recorded extends OfProject, Answer> {
  readonly operation: KeyedOperation<Input, Recorded, Answer>;
  readonly input: Input;
  readonly call: CallContext;
}

/**
 * Runs the work of a request. With an idempotency key, the work runs once for all requests with the key.
 * @param work receives a function that makes the write that records the result, to commit together with the effect;
 *   `undefined` if the request has no key
 * @throws {Problem} those of `runOnce`
 */
export function runWithKey<Input, Recorded extends OfProject, Answer>(
  deps: IdempotencyDeps,
  request: KeyedRequest<Input, Recorded, Answer>,
  work: (settle: ResultWrite<Recorded> | undefined) => Promise<Answer>,
): Promise<Answer> {
  const { idempotency } = request.call;
  if (!idempotency) return work(undefined);
  return runOnce(deps, request, operationIdOf(idempotency.key), ({ settle }) => work(settle));
}

/**
 * Runs the work of a request once under an operation id. A retry gets the result of the first request, in its current
 * state.
 * @param operationId from the idempotency key; a new id if the request has no key
 * @throws {Problem} `request-in-progress`, `idempotency-key-reused`, `project-deleted`; any error of `work`, `planOf` and
 *   the operation's `replay`
 */
export async function runOnce<Input, Recorded extends OfProject, Answer>(
  deps: IdempotencyDeps,
  request: KeyedRequest<Input, Recorded, Answer>,
  operationId: string,
  work: (attempt: Attempt) => Promise<Answer>,
  planOf?: (before: unknown) => Promise<Plan>,
): Promise<Answer> {
  const { operation, input, call } = request;
  const isFirst = call.idempotency === undefined;
  // Without a key, there is no other request to compare with. With one, the content may be large.
  const fingerprint = isFirst ? '' : await inTurns(fingerprintSteps(operation.identity(input)));
  const identity = { operation: operation.name, fingerprint };
  const outcome = await runIdempotent(
    { ...idempotentRequest(deps, call, operationId, identity), isFirst },
    work,
    planOf,
  );
  if (outcome.kind === 'done') return outcome.value;
  return replayOf(deps, request, identity, outcome);
}

/** Makes the arguments of `runIdempotent` for an operation. The lease ends shortly after the deadline of the call. */
export function idempotentRequest(
  { storage, now }: Pick<IdempotencyDeps, 'storage' | 'now'>,
  call: CallContext,
  operationId: string,
  identity: RequestIdentity,
): IdempotentRequest {
  return {
    storage,
    key: recordKey(companyPartition(call.companyId), operationId),
    identity,
    now,
    leaseMs: leaseMsOf(call.deadline),
    retentionMs: call.idempotency?.retentionMs,
  };
}

/** Makes the answer to a retry from the record of the first request. */
async function replayOf<Input, Recorded extends OfProject, Answer>(
  deps: IdempotencyDeps,
  { operation, input, call }: KeyedRequest<Input, Recorded, Answer>,
  identity: RequestIdentity,
  { identity: first, result }: Extract<Outcome<Answer>, { kind: 'before' }>,
): Promise<Answer> {
  const isSameKind = first.operation === operation.name;
  const { another, retryHint = '' } = isSameKind ? operation : { another: 'another kind of request' };
  const reused = (pointers?: readonly string[]) => idempotencyKeyReused(another, retryHint, pointers);
  if (result === undefined) throw reused();
  await requireLive(deps, operationNamed(deps, first.operation), result, call);
  if (!isSameKind) throw reused();
  const current = () => readLive(deps, operation, result, call);
  if (!isSameRequest(first, identity)) throw reused(operation.differences?.(input, await current()));
  call.idempotency?.replayed();
  return current();
}

/**
 * Reads the result of a request in its current state.
 * @param result what the record of the request contains
 * @throws {Problem} `project-deleted` if the project has been deleted since
 */
export async function readLive<Answer>(
  deps: IdempotencyDeps,
  operation: KeyedOperation<never, OfProject, Answer>,
  result: unknown,
  call: CallContext,
): Promise<Answer> {
  try {
    return await operation.replay(operation.recorded.parse(result), call);
  } catch (error) {
    await requireLive(deps, operation, result, call);
    throw error;
  }
}

/** Throws `project-deleted` if the result of a request needs its project, and the project was deleted. */
async function requireLive(
  deps: IdempotencyDeps,
  { deleted, recorded }: KeyedOperation<never, OfProject, unknown>,
  result: unknown,
  { companyId }: CallContext,
): Promise<void> {
  if (deleted === undefined) return;
  const { projectId } = recorded.parse(result);
  if (await deps.storage.read(projectKey(companyId, projectId))) return;
  const deletedAtUtc = await deletionTime(deps, companyId, { id: projectId });
  throw projectDeleted(deleted, deletedAtUtc);
}
