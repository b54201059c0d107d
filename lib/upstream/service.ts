import { checkDates } from '../contract/check.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type Guard, NO_GUARD } from '../idempotency/commit.ts';
import { operationState as stateOf } from '../idempotency/operation-state.ts';
import { idempotentRequest, projectReplays, resultOrReplay } from '../idempotency/replay.ts';
import type { RequestIdentity } from '../idempotency/request-record.ts';
import { fingerprintOf } from '../idempotency/request-record.ts';
import { runIdempotent } from '../idempotency/run-idempotent.ts';
import { failures } from '../service/failures.ts';
import { meaningOf } from '../service/meaning.ts';
import { operationIdOf } from '../service/operation-id.ts';
import type { Call, DeletionScope, ProjectRef, ProjectService } from '../service/port.ts';
import { documentOf, type ProjectDocument } from '../service/project-document.ts';
import type { ListedStore } from '../storage/port.ts';
import type { Client } from './client.ts';
import { makeProject, planCreation, requireFree } from './creation.ts';
import { deleteAtService, planDeletion } from './deletion.ts';
import { type Foundation, withLastWord } from './foundation.ts';
import { findEntry, holderOf } from './ledger.ts';
import { listOwned } from './listing.ts';
import { DEFAULT_MARK } from './names.ts';
import { readOwned } from './owned.ts';
import { type Reconciled, reconcile } from './reconciler.ts';

/** What the service behind Segue is reached with. */
export interface UpstreamOptions {
  readonly client: Client;
  /** Who owns what, and what was sent. */
  readonly storage: ListedStore;
  /** Whether a company has an account of its own at the service; nobody has unless given. */
  readonly isOwnAccount?: ((companyId: string) => Promise<boolean>) | undefined;
  /** How custom ids at the service begin; `segue` unless given. */
  readonly mark?: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Text that no other process gives. */
  readonly newId: () => string;
  /** How far off a start date may be, in milliseconds; 5 minutes unless given. */
  readonly startDateToleranceMs?: number | undefined;
  /** How long what was sent may take to show, in milliseconds; a minute unless given. */
  readonly settleMs?: number | undefined;
  /** What must still hold of whoever deletes; nothing unless given. */
  readonly guard?: Guard;
  readonly newEventId?: (() => string) | undefined;
}

/** The service at another server, and what finishes what its requests left open. */
export interface UpstreamService extends ProjectService {
  reconcile(isTimeLeft: () => boolean): Promise<Reconciled>;
}

const DEFAULT_SETTLE_MS = 60_000;

/**
 * The multilingual project service that another server provides, spoken to over HTTP: exactly once, though it has no
 * idempotency keys, and for several companies, though it may have one account for all of them.
 */
export function upstreamService(options: UpstreamOptions): UpstreamService {
  const foundation: Foundation = {
    ...options,
    isOwnAccount: options.isOwnAccount ?? (async () => false),
    mark: options.mark ?? DEFAULT_MARK,
    startDateToleranceMs: options.startDateToleranceMs ?? LIMITS.startDateToleranceMs,
    settleMs: options.settleMs ?? DEFAULT_SETTLE_MS,
    guard: options.guard ?? NO_GUARD,
  };
  const { now, guard, startDateToleranceMs, newId } = foundation;

  /** Every change is an operation; without a caller's key it has one that no caller has, since there is a space in it. */
  const operationState = ({ companyId, idempotency }: Call) => ({
    companyId,
    operationId: operationIdOf(idempotency?.key ?? `operation ${newId()}`),
  });

  /** Without a caller's key nobody has sent it before. */
  const requestFor = (call: Call, operationId: string, meaning: RequestIdentity) => ({
    ...idempotentRequest(foundation, call, operationId, meaning),
    isFirst: call.idempotency === undefined,
  });

  const replay = projectReplays(foundation, get);

  async function create(project: CheckedProject, call: Call): Promise<ProjectDocument> {
    const operation = operationState(call);
    // Nobody asks again for what has no key.
    const fingerprint = call.idempotency ? fingerprintOf(meaningOf(project)) : '';
    const request = requestFor(call, operation.operationId, { operation: 'create', fingerprint });
    const outcome = await runIdempotent(
      request,
      (attempt) => makeProject(foundation, project, call, operation, attempt),
      (before) => planCreation(foundation, project, call, operation, before),
    );
    return resultOrReplay(call, request.meaning, outcome, replay.creation(project, call));
  }

  async function validate(project: CheckedProject, call: Call): Promise<void> {
    checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const { customId } = project;
    if (customId === undefined) return;
    if (await holderOf(foundation, customId, call.companyId)) throw failures.customIdInUse();
    await requireFree(foundation, project, withLastWord(call));
  }

  async function get(ref: ProjectRef, taskId: string | undefined, call: Call): Promise<ProjectDocument> {
    const entered = await findEntry(foundation, ref, call.companyId);
    return documentOf(await readOwned(foundation, entered, taskId, call));
  }

  async function remove(ref: ProjectRef, scope: DeletionScope, call: Call): Promise<Receipt> {
    // A caller who may delete no more is told nothing of earlier requests either.
    if (call.idempotency) await guard.require(call);
    const operation = operationState(call);
    const meaning = { operation: 'delete', fingerprint: fingerprintOf({ ref, scope }) };
    let pending: Receipt | undefined;
    const asks = {
      mayAsk: true,
      pending: (receipt: Receipt) => {
        pending = receipt;
      },
    };
    try {
      const outcome = await runIdempotent(
        requestFor(call, operation.operationId, meaning),
        (attempt) => deleteAtService(foundation, call, operation, attempt, asks),
        (before) => planDeletion(foundation, { ref, scope }, call, operation, before),
      );
      return await resultOrReplay(call, meaning, outcome, replay.deletion(call));
    } catch (error) {
      if (pending && error instanceof Problem && error.name === 'outcome-unknown') return pending;
      throw error;
    }
  }

  return {
    startDateToleranceMs,
    create,
    validate,
    get,
    list: (page, call) => listOwned(foundation, page, call),
    delete: remove,
    operation: (id, call) => stateOf({ ...foundation, getMade: replay.made }, id, call),
    reconcile: (isTimeLeft) => reconcile(foundation, isTimeLeft),
  };
}
