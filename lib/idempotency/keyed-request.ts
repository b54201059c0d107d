import { idempotencyKeyReused, projectDeleted } from '../contract/failures.ts';
import { companyPartition, projectKey } from '../records/keys.ts';
import { type RequestIdentity, recordKey } from '../records/request-record.ts';
import { deletionTime } from '../records/tombstones.ts';
import { leaseMsOf } from '../service/deadline.ts';
import { type CallContext, operationIdOf } from '../service/port.ts';
import { inTurns } from '../service/turn.ts';
import type { ResultWrite } from './commit.ts';
import { type CommittedRequest, commitOnce } from './commit-once.ts';
import { fingerprintSteps, isSameRequest } from './identity.ts';
import {
  type IdempotencyDeps,
  type KeyedOperation,
  type OfProject,
  operationNamed,
  type RecordedOperation,
} from './keyed-operation.ts';
import {
  type Attempt,
  type IdempotentRequest,
  isNotApplied,
  type Outcome,
  type Plan,
  resultUnread,
  runIdempotent,
} from './run-idempotent.ts';

/*
 * A request with an idempotency key runs once, in one of two ways:
 *
 *   runCommitted → commitOnce      its whole effect is one commit of Segue's store, which includes its result
 *   runClaimed   → runIdempotent   it first claims its record: it changes another service, or shows that it is running
 *
 * Both answer a retry in the same way.
 */

/** A request of an operation that changes something. */
export interface KeyedRequest<Input, Recorded extends OfProject, Answer> {
  readonly operation: KeyedOperation<Input, Recorded, Answer>;
  readonly input: Input;
  readonly call: CallContext;
  /** Checks whether the caller may see the result of an earlier request. @throws {Problem} if not */
  readonly mayReplay?: () => Promise<unknown>;
  /** Whether the work costs much more than a read of the request's record. */
  readonly isDear?: boolean;
}

/**
 * Runs work whose only effect is one commit. With an idempotency key, the work runs once for all requests with the key.
 * @param work receives a function that makes the write that records the result, to commit together with the effect;
 *   `undefined` if the request has no key
 * @throws {Problem} those of `runClaimed`; `unavailable` or `outcome-unknown` if the store did not confirm the commit
 */
export async function runCommitted<Input, Recorded extends OfProject, Answer>(
  deps: IdempotencyDeps,
  request: KeyedRequest<Input, Recorded, Answer>,
  work: (resultWrite: ResultWrite<Recorded> | undefined) => Promise<Answer>,
): Promise<Answer> {
  const { idempotency } = request.call;
  if (!idempotency) return work(undefined);
  const operationId = operationIdOf(idempotency.key);
  if (idempotency.isAnnounced) return runClaimed(deps, request, operationId, ({ resultWrite }) => work(resultWrite));
  const identity = await identityOf(request);
  const kept = { ...keptRequest(deps, request.call, operationId, identity), isDear: request.isDear };
  return answerOf(deps, request, identity, await commitOnce(kept, work));
}

/**
 * Runs the work of a request once under an operation id. A retry gets the result of the first request, in its current
 * state.
 * @param operationId from the idempotency key; a new id if the request has no key
 * @throws {Problem} `request-in-progress`, `idempotency-key-reused`, `project-deleted`; any error of `work`, `planOf` and
 *   the operation's `replay`
 */
export async function runClaimed<Input, Recorded extends OfProject, Answer>(
  deps: IdempotencyDeps,
  request: KeyedRequest<Input, Recorded, Answer>,
  operationId: string,
  work: (attempt: Attempt) => Promise<Answer>,
  planOf?: (before: unknown) => Promise<Plan>,
): Promise<Answer> {
  const { call } = request;
  const isFirst = call.idempotency === undefined;
  // Without a key, there is no other request to compare with.
  const identity = isFirst ? { operation: request.operation.name, fingerprint: '' } : await identityOf(request);
  const claimed = { ...idempotentRequest(deps, call, operationId, identity), isFirst };
  return answerOf(deps, request, identity, await runIdempotent(claimed, work, planOf));
}

/** Makes the arguments of `runIdempotent` for an operation. The lease ends shortly after the deadline of the call. */
export function idempotentRequest(
  deps: Pick<IdempotencyDeps, 'storage' | 'now'>,
  call: CallContext,
  operationId: string,
  identity: RequestIdentity,
): IdempotentRequest {
  return { ...keptRequest(deps, call, operationId, identity), leaseMs: leaseMsOf(call.deadline) };
}

function keptRequest(
  { storage, now }: Pick<IdempotencyDeps, 'storage' | 'now'>,
  { companyId, idempotency }: CallContext,
  operationId: string,
  identity: RequestIdentity,
): CommittedRequest {
  const key = recordKey(companyPartition(companyId), operationId);
  return { storage, key, identity, now, retentionMs: idempotency?.retentionMs };
}

/** Makes the identity of a request, in steps, because its content may be large. */
async function identityOf<Input>({
  operation,
  input,
}: Pick<KeyedRequest<Input, OfProject, unknown>, 'operation' | 'input'>): Promise<RequestIdentity> {
  return { operation: operation.name, fingerprint: await inTurns(fingerprintSteps(operation.identity(input))) };
}

/** Makes the answer to a request. The answer to a retry comes from the record of the first request. */
async function answerOf<Input, Recorded extends OfProject, Answer>(
  deps: IdempotencyDeps,
  request: KeyedRequest<Input, Recorded, Answer>,
  identity: RequestIdentity,
  outcome: Outcome<Answer>,
): Promise<Answer> {
  if (outcome.kind === 'done') return outcome.value;
  await request.mayReplay?.();
  try {
    return await replayOf(deps, request, identity, outcome);
  } catch (error) {
    // The request may have taken effect just now, although its result cannot be read.
    const isOwn = outcome.mayBeOwn && isSameRequest(outcome.identity, identity);
    if (!isOwn || !isNotApplied(error)) throw error;
    throw resultUnread(error);
  }
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
  await requireLive(deps, operationNamed(deps.operations, first.operation), result, call);
  if (!isSameKind) throw reused();
  const current = () => readLive(deps, operation, result, call);
  if (!isSameRequest(first, identity)) throw reused(await operation.differences?.(input, await current()));
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
  { deleted, recorded }: RecordedOperation<OfProject>,
  result: unknown,
  { companyId }: CallContext,
): Promise<void> {
  if (deleted === undefined) return;
  const record = recorded.parse(result);
  if (!('projectId' in record)) return;
  const { projectId } = record;
  if (await deps.storage.read(projectKey(companyId, projectId))) return;
  const deletedAtUtc = await deletionTime(deps, companyId, { id: projectId });
  throw projectDeleted(deleted, deletedAtUtc);
}
