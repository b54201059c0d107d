import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { type ProjectDocument, valueIn } from '../service/document.ts';
import { differences } from '../service/meaning.ts';
import type { Call, ProjectService } from '../service/port.ts';
import { projectKey } from './keys.ts';
import type { Keeper, Replay, Result } from './once.ts';
import { deletionOf } from './tombstones.ts';

/** Makes the answer of an earlier request that of another one with its key, as the project now stands. */
export interface Replays {
  creation(project: CheckedProject, call: Call): Replay<ProjectDocument>;
  deletion(call: Call): Replay<Receipt>;
  /**
   * A project that was made, which may be deleted at any moment.
   * @throws {Problem} `project-deleted`
   */
  made(projectId: number, call: Call): Promise<ProjectDocument>;
}

/** @param get reads a project of the service */
export function replays(keeper: Keeper, get: ProjectService['get']): Replays {
  /** A deleted project is never made again by a late retry. */
  async function requireLive(result: Result, { companyId }: Pick<Call, 'companyId'>): Promise<void> {
    if (result.kind !== 'created') return;
    if (await keeper.storage.read(projectKey(companyId, result.projectId))) return;
    const deletedAtUtc = await deletionOf(keeper, companyId, { id: result.projectId });
    throw new Problem('project-deleted', {
      detail: 'The project that was created with this key has been deleted, and is not made again.',
      ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    });
  }

  async function made(projectId: number, call: Call): Promise<ProjectDocument> {
    try {
      return await get({ id: projectId }, undefined, call);
    } catch (error) {
      await requireLive({ kind: 'created', projectId }, call);
      throw error;
    }
  }

  return {
    made,
    creation: (project, call) => ({
      requireLive: (result) => requireLive(result, call),
      differences: async (result) => {
        if (result.kind !== 'created') return [];
        return differences(project, valueIn(await made(result.projectId, call)));
      },
      answer: async (result) => {
        if (result.kind !== 'created') throw new TypeError('The result of a creation is a project');
        return made(result.projectId, call);
      },
    }),
    deletion: (call) => ({
      requireLive: (result) => requireLive(result, call),
      differences: async () => [],
      answer: async (result) => {
        if (result.kind !== 'deleted') throw new TypeError('The result of a deletion is a receipt');
        return result.receipt;
      },
    }),
  };
}
