import { afterAll, describe, expect, test } from 'vitest';
import { smallProject, target } from '../../support/projects.ts';
import { type Api, byId } from '../api.ts';
import { expectInvalid } from '../problems.ts';

/** Tests "States and transitions" of `service.md`. */
export function states(api: Api): void {
  describe('States and transitions', () => {
    afterAll(() => api.cleanUp());

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
  });
}
