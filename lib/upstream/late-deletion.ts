import { Problem } from '../contract/problem.ts';
import { retryRefused } from '../idempotency/commit.ts';
import { freedIn, freeForLonger, isTaken } from '../records/custom-id-record.ts';
import { customIdKey } from '../records/keys.ts';
import {
  deletionRevisionWrites,
  readRevision,
  rememberedUntil,
  requireCurrentDeletion,
  revisionHold,
  revisionRef,
} from '../records/revision-record.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import { asUnavailable, type Item, type Write } from '../storage/port.ts';
import type { UpstreamDeps } from './deps.ts';
import { problemFrom } from './failures.ts';
import { findEntry } from './ledger.ts';

/**
 * Checks the revision of a deletion. If there is no project with the custom id, remembers the revision, so that a late put
 * does not create the project.
 * @returns what names the project in the records of revisions, and the write that keeps a later put from taking effect
 *   before the deletion
 * @throws {Problem} `revision-outdated`, `project-not-found`; `request-in-progress` while a request creates the project
 */
export async function checkRevision(
  deps: UpstreamDeps,
  ref: ProjectRef,
  revision: number,
  call: CallContext,
): Promise<{ readonly named: ProjectRef; readonly held: Write }> {
  const { storage, now } = deps;
  const { companyId } = call;
  return retryRefused(call, async () => {
    // The revision is read before the project: a put that creates the project changes both.
    const last = 'customId' in ref ? await readRevision(deps, companyId, ref) : undefined;
    const entered = await findEntry(deps, ref, companyId);
    if (entered.kind === 'ok') {
      const named = 'customId' in ref ? ref : revisionRef(entered.entry);
      const known = last ?? (await readRevision(deps, companyId, named));
      requireCurrentDeletion(known, revision);
      return { named, held: revisionHold(known, now(), revision) };
    }
    if (last && 'customId' in ref) {
      requireCurrentDeletion(last, revision);
      const item = await storage.read(customIdKey(companyId, ref.customId));
      if (isTaken(item)) throw creationInProgress();
      const nowMs = now();
      const writes = [freedForLonger(companyId, ref, item, nowMs), ...deletionRevisionWrites(last, revision, nowMs)];
      const { ok } = await storage.commit({ writes });
      if (!ok) return undefined;
    }
    throw problemFrom(entered);
  });
}

/**
 * Remembers the revision of a deletion whose project turned out to be gone, so that a late put does not create it.
 * @param named what names the project in the records of revisions
 */
export async function rememberDeletion(
  deps: UpstreamDeps,
  named: ProjectRef,
  revision: number,
  call: CallContext,
): Promise<void> {
  const { storage, now } = deps;
  await retryRefused(call, async () => {
    const last = await readRevision(deps, call.companyId, named);
    // A later put has come meanwhile, and may have created the project again.
    if (last.known && last.known.record.revision > revision) return true;
    const nowMs = now();
    const item = 'customId' in named ? await storage.read(customIdKey(call.companyId, named.customId)) : undefined;
    // While the ledger still has the project, its custom id is freed when it leaves.
    const isFree = 'customId' in named && !isTaken(item);
    const freed = isFree ? [freedForLonger(call.companyId, named, item, nowMs)] : [];
    const commit = storage.commit({ writes: [...freed, ...deletionRevisionWrites(last, revision, nowMs)] });
    return (await commit.catch(asUnavailable(UNSURE))).ok || undefined;
  });
}

/** Makes the write that keeps a free custom id in the store for as long as a deletion from now on is remembered. */
function freedForLonger(
  companyId: string,
  { customId }: Extract<ProjectRef, { readonly customId: string }>,
  item: Item | undefined,
  nowMs: number,
): Write {
  return freeForLonger(customIdKey(companyId, customId), freedIn(item), rememberedUntil(nowMs));
}

const UNSURE = 'Segue could not store the revision of the deletion. Send the request again.';

function creationInProgress(): Problem {
  return new Problem('request-in-progress', {
    detail: 'Another request is creating a project with this custom id. Send the deletion again later.',
    retryAfterSeconds: 1,
  });
}
