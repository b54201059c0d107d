import { checkStart } from '../contract/check.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { fingerprintOf } from '../exactly-once/fingerprint.ts';
import { type Guard, NO_GUARD } from '../records/guard.ts';
import { customIdKey, projectKey } from '../records/keys.ts';
import { onlyOnce, type Result } from '../records/once.ts';
import { operationOf } from '../records/operations.ts';
import { deletionOf } from '../records/tombstones.ts';
import { documentOf, type ProjectDocument } from '../service/document.ts';
import { failures } from '../service/failures.ts';
import { differences, meaningOf } from '../service/meaning.ts';
import type { Call, DeletionScope, ProjectRef, ProjectService } from '../service/port.ts';
import { onlyTask } from '../service/tasks.ts';
import type { Storage } from '../storage/port.ts';
import { makeProject } from './creation.ts';
import { deleteFrom } from './deletion.ts';
import type { Foundation } from './foundation.ts';
import { idSource } from './ids.ts';
import { listProjects } from './listing.ts';
import { findDocument, readProject } from './reading.ts';

/** What the hosted service is made with. */
export interface HostedOptions {
  readonly storage: Storage;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** How far off a start date may be, in milliseconds; 5 minutes unless given. */
  readonly startDateToleranceMs?: number | undefined;
  /** What must still hold of whoever deletes; nothing unless given. */
  readonly guard?: Guard;
  /** A name for the record of what happened, which no other process gives. Nothing is recorded unless given. */
  readonly newEventId?: (() => string) | undefined;
  /** For how long whoever runs the store can bring back what was deleted, in milliseconds; absent where nobody can. */
  readonly recoverableMs?: number | undefined;
}

/** The multilingual project service that Segue itself contains, on any store. */
export function hostedService(options: HostedOptions): ProjectService {
  const { storage, now, random, startDateToleranceMs = LIMITS.startDateToleranceMs } = options;
  const { guard = NO_GUARD, newEventId, recoverableMs } = options;
  const ids = idSource(now, random);
  const foundation: Foundation = { storage, now, ids, startDateToleranceMs, guard, newEventId, recoverableMs };

  async function create(project: CheckedProject, call: Call): Promise<ProjectDocument> {
    const meaning = () => ({ operation: 'create', fingerprint: fingerprintOf(meaningOf(project)) });
    return onlyOnce(foundation, call, meaning, (settle) => makeProject(foundation, project, call, settle), {
      requireLive: (result) => requireLive(result, call),
      differences: (result) => differencesFrom(project, result, call),
      answer: async (result) => {
        if (result.kind !== 'created') throw new TypeError('The result of a creation is a project');
        return getMade(result.projectId, call);
      },
    });
  }

  async function validate(project: CheckedProject, call: Call): Promise<void> {
    checkStart(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const { customId } = project;
    if (customId === undefined) return;
    if (await storage.read(customIdKey(call.companyId, customId))) throw failures.customIdInUse();
  }

  async function get(ref: ProjectRef, taskId: string | undefined, call: Call): Promise<ProjectDocument> {
    const { document } = await findDocument(foundation, ref, call.companyId);
    if (taskId === undefined) return document;
    const part = onlyTask(readProject(document), taskId);
    if (!part) throw failures.taskNotFound();
    return documentOf(part);
  }

  async function remove(ref: ProjectRef, scope: DeletionScope, call: Call): Promise<Receipt> {
    // A caller who may delete no more is told nothing of earlier requests either.
    if (call.once) await guard.require(call);
    const meaning = () => ({ operation: 'delete', fingerprint: fingerprintOf({ ref, scope }) });
    return onlyOnce(foundation, call, meaning, (settle) => deleteFrom(foundation, ref, scope, call, settle), {
      requireLive: (result) => requireLive(result, call),
      differences: async () => [],
      answer: async (result) => {
        if (result.kind !== 'deleted') throw new TypeError('The result of a deletion is a receipt');
        return result.receipt;
      },
    });
  }

  /** A deleted project is never made again by a late retry. */
  async function requireLive(result: Result, { companyId }: Call): Promise<void> {
    if (result.kind !== 'created' || (await storage.read(projectKey(companyId, result.projectId)))) return;
    const deletedAtUtc = await deletionOf(foundation, companyId, { id: result.projectId });
    throw new Problem('project-deleted', {
      detail: 'The project that was created with this key has been deleted, and is not made again.',
      ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    });
  }

  /** The project that was made with a key, which may be deleted at any moment. */
  async function getMade(projectId: number, call: Call): Promise<ProjectDocument> {
    try {
      return await get({ id: projectId }, undefined, call);
    } catch (error) {
      await requireLive({ kind: 'created', projectId }, call);
      throw error;
    }
  }

  async function differencesFrom(project: CheckedProject, result: Result, call: Call): Promise<readonly string[]> {
    if (result.kind !== 'created') return [];
    return differences(project, readProject(await getMade(result.projectId, call)));
  }

  const list: ProjectService['list'] = (page, { companyId }) => listProjects(foundation, companyId, page);
  const operation: ProjectService['operation'] = (id, call) => operationOf({ storage, now, getMade }, id, call);

  return { startDateToleranceMs, create, validate, get, list, delete: remove, operation };
}
