import { companyPartition, paddedId } from '../records/keys.ts';
import { KEY_RETENTION_MS, readRecord, recordKey } from '../records/request-record.ts';
import type { CallContext } from '../service/port.ts';
import { eachItem, type Write } from '../storage/port.ts';
import type { UpstreamDeps } from './deps.ts';
import { customIdHolder } from './ledger.ts';
import type { OpenOperation } from './open-operations.ts';

/**
 * A creation or deletion of a project that has not ended. `running`: a request works on it. `open`: no request does, and
 * its outcome is not known yet.
 */
export type Unfinished = 'running' | 'open';

type StoreDeps = Pick<UpstreamDeps, 'storage' | 'now'>;

/** Finds the unfinished creation that holds a custom id; `undefined` if there is none, or if nobody can finish it. */
export async function unfinishedCreation(
  deps: StoreDeps,
  companyId: string,
  customId: string,
): Promise<Unfinished | undefined> {
  const holder = await customIdHolder(deps, customId, companyId);
  if (!holder || 'projectId' in holder) return undefined;
  const record = await recordOf(deps, { companyId, operationId: holder.operationId });
  return record && (record.leaseEndsAtMs > deps.now() ? 'running' : 'open');
}

/** Finds an unfinished deletion of a project, or of one of its tasks. */
export async function unfinishedDeletion(
  deps: StoreDeps,
  companyId: string,
  projectId: number,
): Promise<Unfinished | undefined> {
  let found: Unfinished | undefined;
  const prefix = deletionsOf(projectId);
  for await (const { sort } of eachItem(deps.storage, companyPartition(companyId), prefix)) {
    const record = await recordOf(deps, { companyId, operationId: sort.slice(prefix.length) });
    if (record?.intent === undefined) continue;
    if (record.leaseEndsAtMs <= deps.now()) return 'open';
    found = 'running';
  }
  return found;
}

async function recordOf({ storage }: StoreDeps, { companyId, operationId }: OpenOperation) {
  const item = await storage.read(recordKey(companyPartition(companyId), operationId));
  return item && readRecord(item).record;
}

/**
 * Makes the write by which puts find a deletion of a project. It stays until it expires. The record of the request shows
 * whether the deletion has ended.
 */
export function deletionWrite(
  { companyId, operationId }: OpenOperation,
  { idempotency }: Pick<CallContext, 'idempotency'>,
  projectId: number,
  nowMs: number,
): Write {
  return {
    kind: 'put',
    key: { partition: companyPartition(companyId), sort: deletionsOf(projectId) + operationId },
    data: {},
    expiresAtMs: nowMs + Math.max(KEY_RETENTION_MS, idempotency?.retentionMs ?? 0),
  };
}

function deletionsOf(projectId: number): string {
  return `deletion/${paddedId(projectId)}/`;
}
