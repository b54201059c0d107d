import { afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { createOnce, expectReplayed, newKey, PATHS, postOnce, tenMinutesAgo, withKey } from './once.ts';

/** "Project deleted since: 410 `project-deleted`, and it is never made again": "Creating exactly once" of `decisions.md`. */
export function deletedSince(api: Api): void {
  describe('Creating exactly once: project deleted since', () => {
    afterEach(() => api.cleanUp());

    for (const [how, pathOf] of Object.entries(PATHS)) {
      test(`410 project-deleted, and it is never made again: deleted ${how}`, async () => {
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

    test('a late retry with the old or a new start date too', async () => {
      const key = newKey();
      const project = smallProject();
      await api.delete(byId((await createOnce(api, project, key)).id));
      expectProblem(await postOnce(api, { ...project, startDateUtc: tenMinutesAgo() }, key), 'project-deleted');
    });

    test('is said before that the content is different', async () => {
      const key = newKey();
      await api.delete(byId((await createOnce(api, smallProject(), key)).id));
      expectProblem(await postOnce(api, smallProject({ name: 'Another' }), key), 'project-deleted');
    });

    test('is said before that the operation is different, and nothing is deleted', async () => {
      const key = newKey();
      await api.delete(byId((await createOnce(api, smallProject(), key)).id));
      const other = await api.create(smallProject({ customId: uniqueId(), taskId: 'a' }));
      for (const path of [byId(other.id), byCustomId(other.customId ?? ''), `${byId(other.id)}?taskId=a`]) {
        expectProblem(await api.delete(path, withKey(key)), 'project-deleted');
      }
      expect(await api.read(byId(other.id))).toEqual(other);
    });

    test('is not said before that the body is invalid', async () => {
      const key = newKey();
      await api.delete(byId((await createOnce(api, smallProject(), key)).id));
      expectProblem(await postOnce(api, smallProject({ name: null }), key), 'invalid-project');
    });

    test('its custom id stays free, and another project that takes it is left alone', async () => {
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
