import * as failures from '../contract/failures.ts';
import { LIMITS } from '../contract/limits.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type Guard, NO_GUARD } from '../idempotency/commit.ts';
import { runCommitted } from '../idempotency/keyed-request.ts';
import { creation, RECORDED_CREATION } from '../idempotency/requests/create-project.ts';
import { deletion } from '../idempotency/requests/delete-project.ts';
import { putting, RECORDED_PUT } from '../idempotency/requests/put-project.ts';
import { isTaken } from '../records/custom-id-record.ts';
import { customIdKey } from '../records/keys.ts';
import type { LimitsOf } from '../service/daily-allowance.ts';
import type {
  CallContext,
  DeletionScope,
  ProjectChanges,
  ProjectReads,
  ProjectRef,
  ProjectService,
  TranslationChanges,
} from '../service/port.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import { storageWithReserve } from '../storage/port.ts';
import { changeLanguage, languageChange, RECORDED_LANGUAGE_CHANGE } from './change-language.ts';
import { checkCreation, createInStore } from './create-project.ts';
import { deleteFromStore, readRemoval } from './delete-project.ts';
import { type HostedDeps, idSource } from './deps.ts';
import { readProgress } from './read-progress.ts';
import { findDocument, listProjects } from './read-projects.ts';
import { readSegments } from './read-segments.ts';
import { readTask } from './read-task.ts';
import { RECORDED_TRANSLATION, translation, writeTranslations } from './write-translations.ts';

/** The arguments of `hostedService`. Some have defaults. */
export interface HostedOptions extends Omit<HostedDeps, 'takeIds' | 'startDateToleranceMs' | 'guard' | 'limitsOf'> {
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** How much a start date may differ from the current time, in milliseconds; 5 minutes by default. */
  readonly startDateToleranceMs?: number | undefined;
  /** Makes the check that a caller may still delete; by default there is no check. */
  readonly guard?: Guard;
  /** Reads the limits of a company; by default it has none. */
  readonly limitsOf?: LimitsOf;
}

/** The limits above which a creation costs much more than a read: it encodes and stores a large payload. */
const DEAR = { segments: 1_000, characters: 100_000 };

function isDear({ segments }: CheckedProject): boolean {
  if (segments.length > DEAR.segments) return true;
  let characters = 0;
  for (const { content } of segments) characters += content.length;
  return characters > DEAR.characters;
}

/** Returns the work of puts. Creations and deletions need none of its code, and start faster without it. */
const puts = () => import('./put/put-project.ts');

/** Returns the reader of operations. Few requests need it, so that a start does not load it. */
const operationStates = () => import('../idempotency/operation-state.ts');

/** The hosted project service, which keeps all projects in a store of Segue. It supports all but the lookups of another service. */
export type HostedService = Required<Omit<ProjectService, 'lookUp'>>;

/** Makes the part of the hosted service that creates and deletes projects. */
export function hostedChanges(options: HostedOptions): Required<ProjectChanges> {
  return changesIn(depsOf(options));
}

function changesIn(deps: HostedDeps): Required<ProjectChanges> {
  const { storage, now, guard, startDateToleranceMs, allowsLoopbackEvents = false } = deps;
  const deletionDeps: HostedDeps = { ...deps, storage: storageWithReserve(storage) };
  const read = (ref: ProjectRef, { companyId }: CallContext) => findDocument(deps, ref, companyId);
  const [operation, putOperation] = [creation(read), putting(read)];
  const keyed = {
    storage,
    now,
    operations: [operation, putOperation, deletion, RECORDED_TRANSLATION, RECORDED_LANGUAGE_CHANGE],
  };

  async function validate(project: CheckedProject, call: CallContext): Promise<void> {
    await checkCreation(deps, project, call);
    const { customId } = project;
    if (customId === undefined) return;
    if (isTaken(await storage.read(customIdKey(call.companyId, customId)))) throw failures.customIdInUse();
  }

  async function remove(ref: ProjectRef, scope: DeletionScope, call: CallContext): Promise<Receipt> {
    const input = { ref, scope, planned: call.planned };
    // A caller that may no longer delete must not see the results of earlier requests.
    const mayReplay = () => guard.require(call);
    return runCommitted(
      { ...keyed, storage: deletionDeps.storage },
      // The deletion of a task encodes the project anew, and holds the worker off. That with a revision may be remembered
      // without a result.
      { operation: deletion, input, call, mayReplay, isDear: scope.kind === 'task' || scope.revision !== undefined },
      (resultWrite) => deleteFromStore(deletionDeps, ref, scope, call, resultWrite),
    );
  }

  return {
    startDateToleranceMs,
    allowsLoopbackEvents,
    create: (project, call) =>
      runCommitted(keyed, { operation, input: project, call, isDear: isDear(project) }, (resultWrite) =>
        createInStore(deps, project, call, resultWrite),
      ),
    validate,
    put: (request, call) =>
      runCommitted(keyed, { operation: putOperation, input: request, call, isDear: true }, async (resultWrite) => {
        const { putInStore } = await puts();
        return putInStore(deps, request, call, resultWrite);
      }),
    async planPut(request, call) {
      const { planPutInStore } = await puts();
      return planPutInStore(deps, request, call);
    },
    delete: remove,
  };
}

/** Makes the part of the hosted service that only reads. */
export function hostedReads(options: HostedOptions): ProjectReads {
  return readsIn(depsOf(options));
}

function readsIn(deps: HostedDeps): ProjectReads {
  const { storage, now } = deps;
  const operations = [
    creation((ref, call) => get(ref, undefined, call)),
    putting((ref, call) => get(ref, undefined, call)),
    deletion,
    translation(deps),
    languageChange(deps),
  ];

  async function get(ref: ProjectRef, taskId: string | undefined, call: CallContext): Promise<ProjectDocument> {
    if (taskId !== undefined) return readTask(deps, ref, taskId, call);
    return findDocument(deps, ref, call.companyId);
  }

  return {
    get,
    segments: (ref, query, call) => readSegments(deps, ref, query, call),
    progress: (ref, taskId, call) => readProgress(deps, ref, taskId, call),
    list: (query, { companyId }) => listProjects(deps, companyId, query),
    removal: (ref, scope, call) => readRemoval(deps, ref, scope, call),
    async operation(id, call) {
      const { operationState } = await operationStates();
      return operationState({ storage, now, operations }, operations, id, call);
    },
    async dailyAllowance({ companyId }) {
      const { readAllowance } = await import('./read-allowance.ts');
      return readAllowance(deps, companyId);
    },
  };
}

/** Makes the part of the hosted service that changes translations and languages. */
export function hostedTranslations(options: HostedOptions): Required<TranslationChanges> {
  return translationsIn(depsOf(options));
}

function translationsIn(deps: HostedDeps): Required<TranslationChanges> {
  const { storage, now } = deps;
  const [translate, change] = [translation(deps), languageChange(deps)];
  const keyed = { storage, now, operations: [RECORDED_CREATION, RECORDED_PUT, deletion, translate, change] };
  return {
    writeTranslations: (ref, entries, call) =>
      runCommitted(keyed, { operation: translate, input: { ref, entries }, call }, (resultWrite) =>
        writeTranslations(deps, ref, entries, call, resultWrite),
      ),
    changeLanguage: (ref, languageCode, to, call) =>
      runCommitted(keyed, { operation: change, input: { ref, languageCode, to }, call }, (resultWrite) =>
        changeLanguage(deps, ref, languageCode, to, call, resultWrite),
      ),
  };
}

/** Makes the hosted project service. */
export function hostedService(options: HostedOptions): HostedService {
  const deps = depsOf(options);
  return { ...changesIn(deps), ...readsIn(deps), ...translationsIn(deps) };
}

function depsOf(options: HostedOptions): HostedDeps {
  const { now, random, startDateToleranceMs = LIMITS.startDateToleranceMs } = options;
  const { guard = NO_GUARD, limitsOf = async () => undefined } = options;
  return { ...options, takeIds: idSource(now, random), startDateToleranceMs, guard, limitsOf };
}
