import { afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId } from '../api.ts';
import { expectInvalid, expectProblem } from '../problems.ts';

/**
 * Tests "Creating exactly once" of `decisions.md` without an idempotency key. `idempotency-keys.ts` and the files after
 * it test requests with a key.
 */
export function creatingOnce(api: Api): void {
  describe('Creating exactly once', () => {
    afterEach(() => api.cleanUp());

    test('validateOnly reports a custom id in use', async () => {
      const customId = uniqueId();
      await api.create(smallProject({ customId }));
      expectProblem(await api.check(smallProject({ customId })), 'custom-id-in-use');
    });

    test('an invalid body is refused before a custom id in use', async () => {
      const customId = uniqueId();
      await api.create(smallProject({ customId }));
      expectInvalid(await api.post(smallProject({ customId, name: null })), ['/name']);
      expectInvalid(await api.check(smallProject({ customId, name: null })), ['/name']);
    });

    test('every request reads the clock anew', async () => {
      const customId = uniqueId();
      const old = smallProject({ customId, startDateUtc: '2020-01-01T00:00:00Z' });
      expectInvalid(await api.post(old), ['/startDateUtc', 'start-not-now']);
      expectInvalid(await api.check(old), ['/startDateUtc', 'start-not-now']);
      await api.create(smallProject({ customId }));
    });

    test('of many creates at once with one custom id, one succeeds', async () => {
      const customId = uniqueId();
      const answers = await Promise.all(Array.from({ length: 8 }, () => api.post(smallProject({ customId }))));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
      const list = await api.list();
      expect(list.filter((project) => project.customId === customId)).toHaveLength(1);
      expect((await api.read(byCustomId(customId))).customId).toBe(customId);
    });

    test('a refused create writes nothing, and its custom id stays free', async () => {
      const customId = uniqueId();
      const before = await api.list();
      await api.post(smallProject({ customId, segments: [] }));
      await api.post(smallProject({ customId, endDateUtc: '2020-01-01T00:00:00Z' }));
      expect(await api.list()).toEqual(before);
      expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
      await api.create(smallProject({ customId }));
    });
  });
}
