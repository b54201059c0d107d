import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { segment, segments, smallProject, target, uniqueId } from '../../support/projects.ts';
import {
  type ProgressAnswer,
  type ProjectAnswer,
  progressAnswer,
  type SegmentsAnswer,
  segmentsAnswer,
} from '../answers.ts';
import { type Api, byCustomId, byId, nextPage, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';

/** Tests "Reading results" of `decisions.md`. */
export function results(api: Api): void {
  const page = async (path: string, encoding = 'gzip') => {
    const answer = await api.get(path, { headers: { 'accept-encoding': encoding } });
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    return { entries: segmentsAnswer.parse(JSON.parse(answer.text)), next: nextPage(answer) };
  };
  const progress = async (path: string): Promise<ProgressAnswer> => {
    const answer = await api.get(path);
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    return progressAnswer.parse(JSON.parse(answer.text));
  };
  /** Follows every `Link`, and returns the entries of each page. */
  const pages = async (path: string): Promise<SegmentsAnswer[]> => {
    const all: SegmentsAnswer[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const read: Awaited<ReturnType<typeof page>> = await page(next);
      all.push(read.entries);
      next = read.next;
    }
    return all;
  };

  describe('Reading results: segments', () => {
    const customId = `${uniqueId()}/segments`;
    let project: ProjectAnswer;
    let paths: string[] = [];
    beforeAll(async () => {
      project = await api.create(
        smallProject({
          customId,
          taskId: 'own',
          targetLanguages: [target({ targetLanguageCode: 'de_de' }), { targetLanguageId: 1172 }],
          segments: [
            segment({ customId: 'one', content: '<p>One</p>\r\n', notes: 'Note' }),
            segment({ content: 'Two', taskId: 'a/b?c' }),
            segment({ content: 'Three', languageSpecificNotes: [{ languageId: 53, note: 'Bitte' }] }),
            ...segments(4, { taskId: 'a/b?c' }),
          ],
        }),
      );
      paths = [byId(project.id), byCustomId(customId)].map((path) => `${path}/segments`);
    });
    afterAll(() => api.cleanUp());

    test('returns every segment as the project has it, with an untranslated entry for each target language', async () => {
      for (const path of paths) {
        const { entries, next } = await page(path);
        expect(entries.map(({ source }) => source)).toEqual(project.segments);
        expect(next).toBeUndefined();
        for (const { translations } of entries) {
          expect(translations).toMatchObject([
            { languageId: 53, languageCode: 'de_de', content: null, status: 'untranslated', version: 0 },
            { languageId: 1172, languageCode: 'fr', content: null, status: 'untranslated', version: 0 },
          ]);
        }
      }
    });

    test('is the same with gzip and without', async () => {
      for (const path of paths) expect(await page(path, 'identity')).toEqual(await page(path));
    });

    test('with taskId, returns only the segments of that task', async () => {
      for (const path of paths) {
        const contents = async (taskId: string) => {
          const { entries } = await page(`${path}?taskId=${encodeURIComponent(taskId)}`);
          return entries.map(({ source }) => source.id);
        };
        const idsOf = (taskId: string | undefined) =>
          project.segments.filter((each) => each.taskId === taskId).map(({ id }) => id);
        expect(await contents('a/b?c')).toEqual(idsOf('a/b?c'));
        expect(await contents('own')).toEqual(idsOf(undefined));
        expectProblem(await api.get(`${path}?taskId=unknown`), 'task-not-found');
      }
    });

    test('with languageCode, returns only the translations into that language, whatever the form of the code', async () => {
      for (const path of paths) {
        for (const code of ['de-DE', 'DE_de', 'deu-de', 'ger_DE']) {
          const { entries } = await page(`${path}?languageCode=${code}`);
          expect(entries).toHaveLength(project.segments.length);
          for (const { translations } of entries) expect(translations.map((each) => each.languageId)).toEqual([53]);
        }
      }
    });

    test('refuses a language that the project does not have, and names those that it has', async () => {
      for (const code of ['de', 'en-GB', 'xx', 'not a code']) {
        const answer = await api.get(`${paths[0]}?languageCode=${encodeURIComponent(code)}`);
        const { errors } = expectProblem(answer, 'invalid-parameter', [['/query/languageCode', 'not-allowed']]);
        expect(errors?.[0]?.allowed).toContain('de_de');
      }
    });

    test('with status, returns only segments with such a translation', async () => {
      for (const path of paths) {
        const { entries } = await page(path);
        expect((await page(`${path}?status=untranslated`)).entries).toEqual(entries);
        for (const status of ['draft', 'automatic', 'pretranslated', 'translated', 'proofread']) {
          expect((await page(`${path}?status=${status}`)).entries).toEqual([]);
        }
        const both = await page(`${path}?status=untranslated&languageCode=de-de&taskId=own`);
        expect(both.entries.map(({ translations }) => translations.length)).toEqual([1, 1]);
      }
    });

    test('returns every segment once by limit, cursor and Link', async () => {
      for (const path of paths) {
        const { entries } = await page(path);
        for (const limit of [1, 3, 6, 7, 1_000]) {
          const read = await pages(`${path}?limit=${limit}`);
          for (const each of read) expect(each.length).toBeLessThanOrEqual(limit);
          expect(read.flat()).toEqual(entries);
        }
      }
    });

    test('keeps the selection on later pages', async () => {
      for (const path of paths) {
        const query = 'taskId=a%2Fb%3Fc&status=untranslated&languageCode=de_DE';
        const { entries } = await page(`${path}?${query}`);
        expect((await pages(`${path}?limit=2&${query}`)).flat()).toEqual(entries);
      }
    });

    test('returns all remaining segments for a cursor without limit', async () => {
      const path = paths[0] ?? '';
      const { entries, next = '' } = await page(`${path}?limit=2`);
      const rest = await page(next.replace('limit=2&', ''));
      expect([...entries, ...rest.entries]).toEqual((await page(path)).entries);
      expect(rest.next).toBeUndefined();
    });

    test('refuses a wrong parameter before it looks for the project', async () => {
      const unknown = [`${byId(1)}/segments`, `${byCustomId(uniqueId())}/segments`];
      const wrong = [
        ['status', 'done'],
        ['status', 'Draft'],
        ['languageCode', ''],
        ['limit', '0'],
        ['limit', '1001'],
        ['cursor', 'x'],
        ['cursor', 's1'],
        ['cursor', 's0.a'],
        ['cursor', `s1.${'a'.repeat(65)}`],
        ['cursor', 'c1'],
      ];
      for (const path of [...paths, ...unknown]) {
        for (const [name, value] of wrong) {
          expectProblem(await api.get(`${path}?${name}=${value}`), 'invalid-parameter', [
            [`/query/${name}`, 'invalid-parameter'],
          ]);
        }
        expectProblem(await api.get(`${path}?language=de`), 'unknown-parameter');
        expectProblem(await api.get(`${path}?segmentLimit=1`), 'unknown-parameter');
      }
    });

    test('refuses a cursor of another project', async () => {
      const other = await api.create(smallProject({ segments: segments(3) }));
      const { next = '' } = await page(`${byId(other.id)}/segments?limit=1`);
      const query = next.slice(next.indexOf('?'));
      for (const path of paths) expectProblem(await api.get(path + query), 'page-outdated');
    });
  });

  describe('Reading results: pages while the project changes', () => {
    afterEach(() => api.cleanUp());

    test('a page after the deletion of a task is 410, and the first page is right again', async () => {
      const { id } = await api.create(smallProject({ segments: [...segments(4), segment({ taskId: 't' })] }));
      const path = `${byId(id)}/segments`;
      const { entries, next = '' } = await page(`${path}?limit=2`);
      expect(entries).toHaveLength(2);
      await api.delete(`${byId(id)}?taskId=t`);
      expectProblem(await api.get(next), 'page-outdated');
      expect((await pages(`${path}?limit=2`)).flat()).toHaveLength(4);
    });

    test('a page after the deletion of the project is 404, also if another project has its custom id', async () => {
      const customId = uniqueId();
      const { id } = await api.create(smallProject({ customId, segments: segments(4) }));
      const next = [byId(id), byCustomId(customId)].map(async (path) => (await page(`${path}/segments?limit=2`)).next);
      const [nextById = '', nextByCustomId = ''] = await Promise.all(next);
      await api.delete(byId(id));
      for (const each of [nextById, nextByCustomId]) expectProblem(await api.get(each), 'project-not-found');
      await api.create(smallProject({ customId, segments: segments(4) }));
      expectProblem(await api.get(nextById), 'project-not-found');
      expectProblem(await api.get(nextByCustomId), 'page-outdated');
    });
  });

  describe('Reading results: progress', () => {
    afterEach(() => api.cleanUp());

    test('shows every task and language, and with taskId one task', async () => {
      const customId = uniqueId();
      const { id } = await api.create(
        smallProject({
          customId,
          taskId: 'own',
          targetLanguages: [target({ targetLanguageCode: 'de-DE' }), { targetLanguageCode: 'fr' }],
          segments: [segment({ taskId: 'a' }), segment({ taskId: 'b' }), segment({ taskId: 'a' })],
        }),
      );
      const names = (value: number) => [
        { languageId: 53, languageCode: 'de-DE', progress: value },
        { languageId: 1172, languageCode: 'fr', progress: value },
      ];
      const taskOf = (taskId: string, total: number) => ({ taskId, total, targetLanguages: names(total) });
      for (const path of [byId(id), byCustomId(customId)]) {
        expect(await progress(`${path}/progress`)).toMatchObject({
          total: 0,
          // The project's own task has no segments.
          tasks: [taskOf('own', 100), taskOf('a', 0), taskOf('b', 0)],
          languages: names(0),
        });
        expect(await progress(`${path}/progress?taskId=b`)).toMatchObject({
          total: 0,
          tasks: [taskOf('b', 0)],
          languages: names(0),
        });
        expect(await progress(`${path}/progress?taskId=own`)).toMatchObject({ total: 100, languages: names(100) });
        expectProblem(await api.get(`${path}/progress?taskId=c`), 'task-not-found');
        expectProblem(await api.get(`${path}/progress?limit=1`), 'unknown-parameter');
      }
    });

    test('is 100 without segments, also in the project and for lists, and lists no tasks without task ids', async () => {
      const customId = uniqueId();
      const { id } = await api.create(smallProject({ customId, segments: [segment({ taskId: 't' })] }));
      await api.delete(`${byId(id)}?taskId=t`);
      const { total, tasks, languages } = await progress(`${byId(id)}/progress`);
      expect([total, tasks]).toEqual([100, []]);
      expect(languages.map((language) => language.progress)).toEqual([100]);
      expect((await api.read(byId(id))).targetLanguages.map((language) => language.progress)).toEqual([100]);
      const listed = async (done: boolean) =>
        JSON.parse((await api.get(`${PROJECTS}?customIdPrefix=${encodeURIComponent(customId)}&done=${done}`)).text);
      expect(await listed(true)).toMatchObject([{ id, targetLanguages: [{ progress: 100 }] }]);
      expect(await listed(false)).toEqual([]);
      expect((await page(`${byId(id)}/segments`)).entries).toEqual([]);
    });
  });

  describe('Reading results: paths', () => {
    afterEach(() => api.cleanUp());

    test('custom ids that look like paths lead to their own projects', async () => {
      const unique = uniqueId();
      const customIds = ['segments', 'progress', 'custom', `${unique}/segments`, `${unique}%2Fsegments`, unique];
      const made: ProjectAnswer[] = [];
      for (const customId of customIds) made.push(await api.create(smallProject({ customId })));
      for (const { id, customId = '', segments: own } of made) {
        expect((await api.read(byCustomId(customId))).id).toBe(id);
        const { entries } = await page(`${byCustomId(customId)}/segments`);
        expect(entries.map(({ source }) => source.id)).toEqual(own.map((each) => each.id));
        expect(await progress(`${byCustomId(customId)}/progress`)).toMatchObject({ total: 0 });
      }
    });

    test('a project that does not exist is 404 on every path', async () => {
      const { id } = await api.create(smallProject());
      for (const kind of ['segments', 'progress']) {
        for (const path of [byId(1), byId('x'), byId('custom'), byCustomId(uniqueId()), byCustomId('.')]) {
          // `/custom/segments` is the project with the custom id `segments`.
          expectProblem(await api.get(`${path}/${kind}`), 'project-not-found');
        }
        expectProblem(await api.get(`${byId(id)}/${kind}/`), 'project-not-found');
        expectProblem(await api.get(`${byId(id)}/${kind}`, { body: '{}' }), 'unexpected-body');
      }
      await api.delete(byId(id));
      for (const kind of ['segments', 'progress']) {
        const { deletedAtUtc } = expectProblem(await api.get(`${byId(id)}/${kind}`), 'project-not-found');
        expect(deletedAtUtc).toBeDefined();
      }
    });
  });
}
