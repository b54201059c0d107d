import { afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { createOnce, expectReplayed, newKey, PATHS, postOnce, tenMinutesAgo, withKey } from './once.ts';

/**
 * Tests the rule "Project deleted since: 410 `project-deleted`, and it is never made again" of "Creating exactly once"
 * in `decisions.md`.
 */
export function deletedSince(api: Api): void {
  describe('Creating exactly once: project deleted since', () => {
    afterEach(() => api.cleanUp());

    for (const [how, pathOf] of Object.entries(PATHS)) {
      test(`a retry is 410 project-deleted and creates nothing: deleted ${how}`, async () => {
        const key = newKey();
        const project = smallProject({ customId: uniqueId() });
        const created = await createOnce(api, project, key);
        await api.delete(pathOf(created), withKey(newKey()));
        const before = await api.list();
        for (let n = 0; n < 3; n++) {
          const answer = await postOnce(api, project, key);
          expectProblem(answer, 'project-deleted');
          expect(answer.headers.location).toBeUndefined();
          expectReplayed(answer, false);
        }
        expect(await api.list()).toEqual(before);
        for (const path of [byId(created.id), pathOf(created)]) {
          expectProblem(await api.get(path), 'project-not-found');
        }
      });
    }

    test('a late retry is 410 too, with the old start date or a new one', async () => {
      const key = newKey();
      const project = smallProject();
      await api.delete(byId((await createOnce(api, project, key)).id));
      expectProblem(await postOnce(api, { ...project, startDateUtc: tenMinutesAgo() }, key), 'project-deleted');
    });

    test('410 comes before the problem of different content', async () => {
      const key = newKey();
      await api.delete(byId((await createOnce(api, smallProject(), key)).id));
      expectProblem(await postOnce(api, smallProject({ name: 'Another' }), key), 'project-deleted');
    });

    test('410 comes before the problem of another operation, and nothing is deleted', async () => {
      const key = newKey();
      await api.delete(byId((await createOnce(api, smallProject(), key)).id));
      const other = await api.create(smallProject({ customId: uniqueId(), taskId: 'a' }));
      for (const path of [byId(other.id), byCustomId(other.customId ?? ''), `${byId(other.id)}?taskId=a`]) {
        expectProblem(await api.delete(path, withKey(key)), 'project-deleted');
      }
      expect(await api.read(byId(other.id))).toEqual(other);
    });

    test('an invalid body is refused before 410', async () => {
      const key = newKey();
      await api.delete(byId((await createOnce(api, smallProject(), key)).id));
      expectProblem(await postOnce(api, smallProject({ name: null }), key), 'invalid-project');
    });

    test('the custom id stays free, and a retry leaves another project with it alone', async () => {
      const key = newKey();
      const customId = uniqueId();
      const project = smallProject({ customId });
      await api.delete(byId((await createOnce(api, project, key)).id));
      expectProblem(await postOnce(api, project, key), 'project-deleted');
      const second = await createOnce(api, project, newKey());
      expectProblem(await postOnce(api, project, key), 'project-deleted');
      expect(await api.read(byCustomId(customId))).toEqual(second);
    });
  });
}
