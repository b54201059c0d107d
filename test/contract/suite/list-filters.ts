import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonObject, nowUtc, smallProject, target, uniqueId } from '../../support/projects.ts';
import { type ListAnswer, listAnswer, type ProjectAnswer } from '../answers.ts';
import { type Api, byId, nextPage, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';

/** Tests the filters of "Lists, plans and other routes" in `decisions.md`. */
export function listFilters(api: Api): void {
  describe('Lists: filters', () => {
    const prefix = uniqueId('filter/ä&');
    const made: ProjectAnswer[] = [];
    /** Returns the projects of every page of a list. */
    const list = async (query: Readonly<Record<string, string>>, limit?: number): Promise<ListAnswer> => {
      const parameters = new URLSearchParams({ ...query, ...(limit !== undefined && { limit: `${limit}` }) });
      const projects: ListAnswer = [];
      for (let path: string | undefined = `${PROJECTS}?${parameters}`; path !== undefined; ) {
        const answer: Awaited<ReturnType<typeof api.get>> = await api.get(path);
        expect(answer.status, answer.text.slice(0, 500)).toBe(200);
        const page = listAnswer.parse(JSON.parse(answer.text));
        if (limit !== undefined) expect(page.length).toBeLessThanOrEqual(limit);
        projects.push(...page);
        path = nextPage(answer);
      }
      return projects;
    };
    const expectListed = async (query: Readonly<Record<string, string>>, ...numbers: readonly number[]) => {
      const expected = numbers.map((n) => made[n]?.id);
      for (const limit of [undefined, 1, 2, 100]) {
        const found = (await list({ customIdPrefix: prefix, ...query }, limit)).map(({ id }) => id);
        expect({ query, limit, found }).toEqual({ query, limit, found: expected });
      }
    };

    beforeAll(async () => {
      const waiting = [target({ state: 'InPreparation' })];
      const fields: JsonObject[] = [
        { endDateUtc: nowUtc(3_600_000) },
        { targetLanguages: [...waiting, { targetLanguageCode: 'fr' }] },
        { endDateUtc: nowUtc(7_200_000), targetLanguages: waiting },
        {},
      ];
      for (const [n, own] of fields.entries()) {
        made.push(await api.create(smallProject({ customId: `${prefix}${n}`, ...own })));
        await api.create(smallProject({ customId: uniqueId('another') }));
        await api.create(smallProject());
      }
    });
    afterAll(() => api.cleanUp());

    test('customIdPrefix lists the projects whose custom id starts with it', async () => {
      await expectListed({}, 3, 2, 1, 0);
      await expectListed({ customIdPrefix: `${prefix}2` }, 2);
      expect(await list({ customIdPrefix: prefix.toUpperCase() })).toEqual([]);
    });

    test('state lists the projects with a target language in that state', async () => {
      await expectListed({ state: 'InPreparation' }, 2, 1);
      await expectListed({ state: 'InProgress' }, 3, 1, 0);
    });

    test('createdAfter and dueBefore compare moments, in any offset', async () => {
      const createdAt = made[1]?.creationDateUtc ?? '';
      const sameMoment = new Date(Date.parse(createdAt) + 3_600_000).toISOString().replace('Z', '+01:00');
      const later = made.flatMap(({ creationDateUtc }, n) => (creationDateUtc > createdAt ? [n] : [])).reverse();
      for (const createdAfter of [createdAt, sameMoment]) await expectListed({ createdAfter }, ...later);
      await expectListed({ dueBefore: nowUtc(5_400_000) }, 0);
      await expectListed({ dueBefore: nowUtc(10_800_000) }, 2, 0);
    });

    test('done lists the projects whose progress is 100, or not', async () => {
      await expectListed({ done: 'false' }, 3, 2, 1, 0);
      await expectListed({ done: 'true' });
    });

    test('all filters that are given must hold', async () => {
      await expectListed({ state: 'InPreparation', dueBefore: nowUtc(10_800_000), done: 'false' }, 2);
      await expectListed({ state: 'InPreparation', dueBefore: nowUtc(5_400_000) });
    });

    test('a filter with a wrong value is 400', async () => {
      const wrong = [
        ['state', 'Completed'],
        ['customIdPrefix', 'a'.repeat(256)],
        ['createdAfter', '2026-01-01'],
        // A plus is a space.
        ['createdAfter', '2026-01-01T00:00:00+01:00'],
        ['dueBefore', 'tomorrow'],
        ['done', 'yes'],
      ];
      for (const [name, value] of wrong) {
        expectProblem(await api.get(`${PROJECTS}?${name}=${value}`), 'invalid-parameter', [
          [`/query/${name}`, 'invalid-parameter'],
        ]);
      }
    });

    test('a deleted project is not listed', async () => {
      await api.delete(byId(made[3]?.id ?? 0));
      await expectListed({}, 2, 1, 0);
    });
  });
}
