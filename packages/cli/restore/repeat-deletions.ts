import { Problem } from '../../../lib/contract/problem.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import { projectKey } from '../../../lib/records/keys.ts';
import type { CallContext, DeletionScope } from '../../../lib/service/port.ts';
import type { ListedStore, Storage } from '../../../lib/storage/port.ts';
import { forgetProject } from '../../../lib/upstream/forget-project.ts';
import type { Deletion } from './deletions.ts';

/** Repeats deletions in a restored table. */
export interface Repeater {
  /** Returns whether the table still has the deleted project or task. */
  isPresent(deletion: Deletion): Promise<boolean>;
  /** Deletes the project or task again. Does nothing if it is not there. */
  repeat(deletion: Deletion): Promise<void>;
}

interface RepeaterOptions {
  readonly now: () => number;
  readonly newEventId: () => string;
}

/** The time for one deletion, in milliseconds. */
const DELETION_MS = 60_000;
/** The problems of a deletion with nothing to delete. */
const ABSENT: readonly ProblemType[] = ['project-not-found', 'task-not-found'];

/** Repeats deletions as the hosted service does them, with their events. */
export function hostedRepeater(storage: Storage, options: RepeaterOptions): Repeater {
  const service = hostedService({ storage, random: Math.random, ...options });
  const whether = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      if (error instanceof Problem && ABSENT.includes(error.name)) return false;
      throw error;
    }
  };
  const called = ({ companyId, requestId, requestedBy }: Deletion): CallContext => {
    const endsAtMs = options.now() + DELETION_MS;
    return { companyId, requestId, requestedBy, deadline: { remainingMs: () => endsAtMs - options.now() } };
  };
  const scopeOf = ({ taskId }: Deletion): DeletionScope =>
    taskId === undefined ? { kind: 'project' } : { kind: 'task', taskId };
  return {
    isPresent: (deletion) => whether(service.removal({ id: deletion.projectId }, scopeOf(deletion), called(deletion))),
    async repeat(deletion) {
      await whether(service.delete({ id: deletion.projectId }, scopeOf(deletion), called(deletion)));
    },
  };
}

/** Removes projects from the ledger that the upstream service has deleted. The ledger has no tasks. */
export function upstreamRepeater(storage: ListedStore, options: RepeaterOptions): Repeater {
  return {
    isPresent: async ({ companyId, projectId, taskId }) =>
      taskId === undefined && (await storage.read(projectKey(companyId, projectId))) !== undefined,
    async repeat(deletion) {
      if (deletion.taskId === undefined) await forgetProject({ storage, ...options }, deletion, deletion.projectId);
    },
  };
}
