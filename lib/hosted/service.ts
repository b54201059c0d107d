import { LIMITS } from '../contract/limits.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import type { CheckedTranslation, LanguageChange } from '../contract/translations.ts';
import { type Guard, NO_GUARD } from '../idempotency/commit.ts';
import { fingerprintSteps } from '../idempotency/identity.ts';
import { operationState } from '../idempotency/operation-state.ts';
import { projectReplays, type Replay, runCall } from '../idempotency/replay.ts';
import type { ResultWrite } from '../idempotency/run-idempotent.ts';
import { customIdKey } from '../records/keys.ts';
import { comparedFields } from '../service/compared-fields.ts';
import {
  type CallContext,
  type DeletionScope,
  failures,
  type ProjectRef,
  type ProjectService,
} from '../service/port.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import { inTurns } from '../service/turn.ts';
import { storageWithReserve } from '../storage/port.ts';
import { changeLanguage, getLanguage } from './change-language.ts';
import { checkCreation, createInStore } from './create-project.ts';
import { deleteFromStore } from './delete-project.ts';
import { type HostedDeps, idSource } from './deps.ts';
import { planDeletion } from './plan-deletion.ts';
import { readProgress } from './read-progress.ts';
import { findDocument, listProjects } from './read-projects.ts';
import { readSegments } from './read-segments.ts';
import { readTask } from './read-task.ts';
import { getTranslations, writeTranslations } from './write-translations.ts';

/** The arguments of `hostedService`. Some have defaults. */
export interface HostedOptions extends Omit<HostedDeps, 'takeIds' | 'startDateToleranceMs' | 'guard'> {
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** How much a start date may differ from the current time, in milliseconds; 5 minutes by default. */
  readonly startDateToleranceMs?: number | undefined;
  /** Makes the check that a caller may still delete; by default there is no check. */
  readonly guard?: Guard;
}

/** Makes the hosted project service, which keeps all projects in a store of Segue. */
export function hostedService(options: HostedOptions): ProjectService {
  const { storage, now, random, startDateToleranceMs = LIMITS.startDateToleranceMs, guard = NO_GUARD } = options;
  const deps: HostedDeps = { ...options, takeIds: idSource(now, random), startDateToleranceMs, guard };
  const deletionDeps: HostedDeps = { ...deps, storage: storageWithReserve(storage) };
  const replay = projectReplays(deps, {
    get,
    getTranslations: (id, refs, call) => getTranslations(deps, id, refs, call),
    getLanguage: (id, languageId, call) => getLanguage(deps, id, languageId, call),
  });

  /** Runs a request once, if it has an idempotency key. @param content the part of the request to compare with others */
  function run<T>(
    call: CallContext,
    operation: string,
    content: () => unknown,
    work: (settle: ResultWrite | undefined) => Promise<T>,
    replayed: Replay<T>,
    using = deps,
  ): Promise<T> {
    const identity = async () => ({ operation, fingerprint: await inTurns(fingerprintSteps(content())) });
    return runCall(using, call, identity, work, replayed);
  }

  function create(project: CheckedProject, call: CallContext): Promise<ProjectDocument> {
    const work = (settle: ResultWrite | undefined) => createInStore(deps, project, call, settle);
    return run(call, 'create', () => comparedFields(project), work, replay.creation(project, call));
  }

  async function validate(project: CheckedProject, call: CallContext): Promise<void> {
    await checkCreation(deps, project, call);
    const { customId } = project;
    if (customId === undefined) return;
    if (await storage.read(customIdKey(call.companyId, customId))) throw failures.customIdInUse();
  }

  async function get(ref: ProjectRef, taskId: string | undefined, call: CallContext): Promise<ProjectDocument> {
    if (taskId !== undefined) return readTask(deps, ref, taskId, call);
    return findDocument(deps, ref, call.companyId);
  }

  async function remove(ref: ProjectRef, scope: DeletionScope, call: CallContext): Promise<Receipt> {
    // A caller that may no longer delete must not see the results of earlier requests.
    if (call.idempotency) await guard.require(call);
    const work = (settle: ResultWrite | undefined) => deleteFromStore(deletionDeps, ref, scope, call, settle);
    const content = () => ({ ref, scope, planned: call.planned });
    return run(call, 'delete', content, work, replay.deletion(call), deletionDeps);
  }

  function write(ref: ProjectRef, entries: readonly CheckedTranslation[], call: CallContext) {
    const work = (settle: ResultWrite | undefined) => writeTranslations(deps, ref, entries, call, settle);
    return run(call, 'translate', () => ({ ref, entries }), work, replay.translation(call));
  }

  function change(ref: ProjectRef, languageCode: string, to: LanguageChange, call: CallContext) {
    const work = (settle: ResultWrite | undefined) => changeLanguage(deps, ref, languageCode, to, call, settle);
    return run(call, 'change-language', () => ({ ref, languageCode, to }), work, replay.languageChange(call));
  }

  return {
    startDateToleranceMs,
    allowsLoopbackEvents: options.allowsLoopbackEvents,
    create,
    validate,
    get,
    segments: (ref, query, call) => readSegments(deps, ref, query, call),
    progress: (ref, taskId, call) => readProgress(deps, ref, taskId, call),
    list: (query, { companyId }) => listProjects(deps, companyId, query),
    planDeletion: (ref, scope, call) => planDeletion(deps, ref, scope, call),
    delete: remove,
    writeTranslations: write,
    changeLanguage: change,
    operation: (id, call) => operationState({ storage, now, readResult: replay.readResult }, id, call),
  };
}
