import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { smallProject } from '../../support/projects.ts';
import { listAnswer, type ProjectAnswer } from '../answers.ts';
import { type Api, byId, nextPage, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';

/** Tests "List projects" of the table "Operations" in `decisions.md`. */
export function listing(api: Api): void {
  const page = async (path: string, encoding = 'gzip') => {
    const answer = await api.get(path, { headers: { 'accept-encoding': encoding } });
    expect(answer.status, answer.text).toBe(200);
    return { projects: listAnswer.parse(JSON.parse(answer.text)), next: nextPage(answer) };
  };

  describe('Operations: List projects', () => {
    const made: ProjectAnswer[] = [];
    beforeAll(async () => {
      for (let n = 0; n < 105; n++) made.push(await api.create(smallProject({ name: `Project ${n}` })));
    });
    afterAll(() => api.cleanUp());

    test('returns a bare array, newest first, without segments', async () => {
      const list = await api.list();
      const newest = made.toReversed().map(({ segments: _, ...head }) => head);
      expect(list.slice(0, made.length)).toEqual(newest);
    });

    test('returns every project once by limit, cursor and Link, in the same order for every limit', async () => {
      const whole = (await api.list()).map(({ id }) => id);
      for (const limit of [17, 99, 100]) expect((await api.list(limit)).map(({ id }) => id)).toEqual(whole);
    });

    test('returns at most limit projects on a page, and Link while more remain', async () => {
      const { projects, next } = await page(`${PROJECTS}?limit=3`);
      expect(projects.length).toBeLessThanOrEqual(3);
      expect(next).toContain('cursor=');
      expect(next).toContain('limit=3');
    });

    test('returns every project and no Link without limit', async () => {
      const whole = await api.list();
      expect(whole.length).toBeGreaterThanOrEqual(made.length);
      for (const encoding of ['identity', 'gzip']) {
        const { projects, next } = await page(PROJECTS, encoding);
        expect(projects).toEqual(whole);
        expect(next).toBeUndefined();
      }
    });

    test('returns all remaining projects for a cursor without limit', async () => {
      const { projects, next = '' } = await page(`${PROJECTS}?limit=2`);
      const rest = await page(next.replace('limit=2&', ''));
      expect([...projects, ...rest.projects].map(({ id }) => id)).toEqual((await api.list()).map(({ id }) => id));
      expect(rest.next).toBeUndefined();
    });

    test('refuses a cursor that comes from no Link header', async () => {
      const [last, over] = [(2 ** 53 - 1).toString(36), (2 ** 53).toString(36)];
      await page(`${PROJECTS}?cursor=c${last}`);
      for (const cursor of ['x', '-1', '..', '%00', 'c%27', 'c0', `c${over}`]) {
        expectProblem(await api.get(`${PROJECTS}?cursor=${cursor}`), 'invalid-parameter', [
          ['/query/cursor', 'invalid-parameter'],
        ]);
      }
    });
  });

  describe('Operations: List projects while they change', () => {
    afterEach(() => api.cleanUp());

    test('a project that is deleted between two pages hides no other project', async () => {
      const made: ProjectAnswer[] = [];
      for (let n = 0; n < 4; n++) made.push(await api.create(smallProject()));
      const ids = made.map(({ id }) => id).reverse();
      const { projects, next = '' } = await page(`${PROJECTS}?limit=2`);
      expect(projects.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      await api.delete(byId(ids[1] ?? 0));
      expect((await page(next)).projects.map(({ id }) => id)).toEqual(ids.slice(2));
    });

    test('a project that is created between two pages is not on the later pages', async () => {
      const made: ProjectAnswer[] = [];
      for (let n = 0; n < 3; n++) made.push(await api.create(smallProject()));
      const { next = '' } = await page(`${PROJECTS}?limit=2`);
      await api.create(smallProject());
      expect((await page(next)).projects[0]?.id).toBe(made[0]?.id);
    });

    test('pages keep their order while projects are created and deleted', async () => {
      const ids: number[] = [];
      for (let n = 0; n < 9; n++) ids.unshift((await api.create(smallProject())).id);
      const seen: number[] = [];
      for (let path: string | undefined = `${PROJECTS}?limit=2`; path !== undefined; ) {
        const { projects, next }: Awaited<ReturnType<typeof page>> = await page(path);
        seen.push(...projects.map(({ id }) => id));
        // Deletes a project of this page and one of a later page, and creates one.
        for (const id of [projects[0]?.id, ids[seen.length + 1]]) if (id) await api.delete(byId(id));
        await api.create(smallProject());
        path = next;
      }
      expect(seen.filter((id) => !ids.includes(id))).toEqual([]);
      expect(seen).toEqual([...new Set(seen)].sort((one, other) => other - one));
      expect(seen).toEqual(ids.filter((id) => seen.includes(id)));
      expect(seen.length).toBeGreaterThanOrEqual(6);
    });

    test('a listed project does not show its deleted task', async () => {
      const { id } = await api.create(smallProject({ taskId: 'own' }));
      expect((await api.list())[0]).toMatchObject({ id, taskId: 'own' });
      await api.delete(`${byId(id)}?taskId=own`);
      const [first] = await api.list();
      expect(first?.id).toBe(id);
      expect(first).not.toHaveProperty('taskId');
    });
  });
}
