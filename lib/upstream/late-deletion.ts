import { Problem } from '../contract/problem.ts';
import { retryRefused } from '../idempotency/commit.ts';
import {
  deletionRevisionWrites,
  readRevision,
  requireCurrentDeletion,
  revisionHold,
  revisionRef,
} from '../records/revision-record.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import type { Write } from '../storage/port.ts';
import type { UpstreamDeps } from './deps.ts';
import { problemFrom } from './failures.ts';
import { customIdHolder, findEntry } from './ledger.ts';

/**
 * Checks the revision of a deletion. If there is no project with the custom id, remembers the revision, so that a late put
 * does not create the project.
 * @returns the write that keeps a later put from taking effect before the deletion
 * @throws {Problem} `revision-outdated`, `project-not-found`; `request-in-progress` while a request creates the project
 */
export async function checkRevision(
  deps: UpstreamDeps,
  ref: ProjectRef,
  revision: number,
  call: CallContext,
): Promise<Write> {
  const { storage, now } = deps;
  const { companyId } = call;
  return retryRefused(call, async () => {
    // The revision is read before the project: a put that creates the project changes both.
    const named = 'customId' in ref ? await readRevision(deps, companyId, ref) : undefined;
    const entered = await findEntry(deps, ref, companyId);
    if (entered.kind === 'ok') {
      const last = named ?? (await readRevision(deps, companyId, revisionRef(entered.entry)));
      requireCurrentDeletion(last, revision);
      return revisionHold(last, now());
    }
    if (named && 'customId' in ref) {
      requireCurrentDeletion(named, revision);
      if (await customIdHolder(deps, ref.customId, companyId)) throw creationInProgress();
      const { ok } = await storage.commit({ writes: deletionRevisionWrites(named, revision, now()) });
      if (!ok) return undefined;
    }
    throw problemFrom(entered);
  });
}

function creationInProgress(): Problem {
  return new Problem('request-in-progress', {
    detail: 'Another request is creating a project with this custom id. Send the deletion again later.',
    retryAfterSeconds: 1,
  });
}
