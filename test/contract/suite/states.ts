import { afterAll, describe, expect, test } from 'vitest';
import { smallProject, target, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { valueAt } from '../pointer.ts';
import { expectInvalid, expectProblem } from '../problems.ts';

/** Tests "States and transitions" of `service.md`. */
export function states(api: Api): void {
  describe('States and transitions', () => {
    afterAll(() => api.cleanUp());

    const stateOf = async (state: string | null) =>
      valueAt(await api.create(smallProject({ targetLanguages: [target({ state })] })), '/targetLanguages/0/state');

    test('InProgress is kept, and is the default', async () => {
      expect(await stateOf('InProgress')).toBe('InProgress');
      expect(await stateOf(null)).toBe('InProgress');
    });

    test('InPreparation is kept', async () => {
      expect(await stateOf('InPreparation')).toBe('InPreparation');
    });

    test('any other state is refused, and the fault names the two allowed states', async () => {
      const project = smallProject({ targetLanguages: [target({ state: 'Done' })] });
      const problem = expectInvalid(await api.post(project), ['/targetLanguages/0/state', 'not-allowed']);
      expect(problem.errors?.[0]?.allowed).toEqual(['InProgress', 'InPreparation']);
    });

    test('POST /segments/projects creates the project with a generated id, and each target in its state', async () => {
      const created = await api.create(
        smallProject({
          targetLanguages: [
            target({ state: 'InPreparation' }),
            { targetLanguageCode: 'ja' },
            { targetLanguageCode: 'ko', state: 'InProgress' },
          ],
        }),
      );
      const { targetLanguages } = await api.read(byId(created.id));
      expect(targetLanguages.map(({ state }) => state)).toEqual(['InPreparation', 'InProgress', 'InProgress']);
    });

    test('DELETE without taskId deletes the project and all its data', async () => {
      const customId = uniqueId();
      const { id } = await api.create(smallProject({ customId, taskId: 'task' }));
      expect((await api.delete(byId(id))).status).toBe(204);
      await expectGone(api, id, customId, 'task');
    });

    test('DELETE with taskId deletes the named task of the project', async () => {
      const { id } = await api.create(smallProject({ taskId: 'task' }));
      expect((await api.delete(`${byId(id)}?taskId=task`)).status).toBe(204);
      expectProblem(await api.get(`${byId(id)}?taskId=task`), 'task-not-found');
      expect(await api.read(byId(id))).toMatchObject({ id, segments: [] });
    });

    test('reading a deleted project or task returns an error that says that it does not exist', async () => {
      const { id } = await api.create(smallProject({ taskId: 'task' }));
      await api.delete(`${byId(id)}?taskId=task`);
      expectProblem(await api.get(`${byId(id)}?taskId=task`), 'task-not-found');
      await api.delete(byId(id));
      expectProblem(await api.get(byId(id)), 'project-not-found');
    });
  });
}

/** Expects that no route leads to the project. */
export async function expectGone(api: Api, id: number, customId: string, taskId: string): Promise<void> {
  for (const path of [byId(id), byCustomId(customId)]) {
    for (const query of ['', `?taskId=${encodeURIComponent(taskId)}`]) {
      expectProblem(await api.get(path + query), 'project-not-found');
      expectProblem(await api.delete(path + query), 'project-not-found');
    }
  }
  expect((await api.list()).filter((project) => project.id === id || project.customId === customId)).toEqual([]);
}
