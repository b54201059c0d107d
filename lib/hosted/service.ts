import { checkDates } from '../contract/check.ts';
import { LIMITS } from '../contract/limits.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type Guard, NO_GUARD } from '../idempotency/commit.ts';
import { operationState } from '../idempotency/operation-state.ts';
import { customIdKey } from '../idempotency/project-item.ts';
import { projectReplays, runCall } from '../idempotency/replay.ts';
import { fingerprintOf } from '../idempotency/request-record.ts';
import type { ResultWrite } from '../idempotency/run-idempotent.ts';
import { failures } from '../service/failures.ts';
import { meaningOf } from '../service/meaning.ts';
import type { Call, DeletionScope, ProjectRef, ProjectService } from '../service/port.ts';
import { documentOf, type ProjectDocument, projectIn } from '../service/project-document.ts';
import type { Storage } from '../storage/port.ts';
import { makeProject } from './create-project.ts';
import { deleteFrom } from './delete-project.ts';
import type { Foundation } from './options.ts';
import { idSource } from './project-ids.ts';
import { findDocument, listProjects } from './read-projects.ts';
import { onlyTask } from './tasks.ts';

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

  const replay = projectReplays(foundation, get);

  async function create(project: CheckedProject, call: Call): Promise<ProjectDocument> {
    const meaning = () => ({ operation: 'create', fingerprint: fingerprintOf(meaningOf(project)) });
    const work = (settle?: ResultWrite) => makeProject(foundation, project, call, settle);
    return runCall(foundation, call, meaning, work, replay.creation(project, call));
  }

  async function validate(project: CheckedProject, call: Call): Promise<void> {
    checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const { customId } = project;
    if (customId === undefined) return;
    if (await storage.read(customIdKey(call.companyId, customId))) throw failures.customIdInUse();
  }

  async function get(ref: ProjectRef, taskId: string | undefined, call: Call): Promise<ProjectDocument> {
    const { document } = await findDocument(foundation, ref, call.companyId);
    if (taskId === undefined) return document;
    const part = onlyTask(projectIn(document), taskId);
    if (!part) throw failures.taskNotFound();
    return documentOf(part);
  }

  async function remove(ref: ProjectRef, scope: DeletionScope, call: Call): Promise<Receipt> {
    // A caller who may delete no more is told nothing of earlier requests either.
    if (call.idempotency) await guard.require(call);
    const meaning = () => ({ operation: 'delete', fingerprint: fingerprintOf({ ref, scope }) });
    const work = (settle?: ResultWrite) => deleteFrom(foundation, ref, scope, call, settle);
    return runCall(foundation, call, meaning, work, replay.deletion(call));
  }

  const list: ProjectService['list'] = (page, { companyId }) => listProjects(foundation, companyId, page);
  const operation: ProjectService['operation'] = (id, call) =>
    operationState({ storage, now, getMade: replay.made }, id, call);

  return { startDateToleranceMs, create, validate, get, list, delete: remove, operation };
}
