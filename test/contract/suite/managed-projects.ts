import { afterAll, describe, expect, test, vi } from 'vitest';
import { EVENTUALLY } from '../../support/eventually.ts';
import { member, segment, smallProject, target, uniqueId } from '../../support/projects.ts';
import { progressAnswer } from '../answers.ts';
import { type Api, byCustomId, byId } from '../api.ts';

/** Tests `assignees` in the progress: "`managedProject: true` (hosted)" of "Getting work done" in `decisions.md`. */
export function managedProjects(api: Api): void {
  if (!api.target.assignsMembers) return;

  const assignees = async (path: string, query = '') => {
    const answer = await api.get(`${path}/progress${query}`);
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    return progressAnswer.parse(JSON.parse(answer.text)).assignees;
  };
  const translator = (taskId: string | null, memberId: number) => {
    return { taskId, languageCode: 'de-DE', role: 'translator', memberId };
  };
  const team = [member({}, 1), member({}, 2)];

  describe('Getting work done: assignees in the progress', () => {
    afterAll(() => api.cleanUp());

    test('a managed language with a team has a translator for each task, and no other language has one', async () => {
      const customId = uniqueId();
      const { id } = await api.create(
        smallProject({
          customId,
          targetLanguages: [
            { targetLanguageCode: 'ja', managedProject: true, serviceTranslation: true },
            { targetLanguageCode: 'fr', managedProject: false, serviceTranslation: true, team },
            target({ managedProject: true, serviceTranslation: true, team }),
          ],
          segments: [segment({ taskId: 'a/b?c' }), segment({ taskId: 'b' }), segment()],
        }),
      );
      const all = [translator('a/b?c', 7001), translator('b', 7002), translator(null, 7001)];
      await vi.waitFor(async () => expect(await assignees(byId(id))).toEqual(all), EVENTUALLY);
      for (const path of [byId(id), byCustomId(customId)]) {
        expect(await assignees(path)).toEqual(all);
        expect(await assignees(path, '?taskId=a%2Fb%3Fc')).toEqual(all.slice(0, 1));
      }
    });
  });
}
