import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryName } from '../../../lib/contract/parameters.ts';
import type { Route } from '../../../lib/contract/routes.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { smallProject, target, uniqueId } from '../../support/projects.ts';
import { languagesAnswer, type ProjectAnswer, validAnswer } from '../answers.ts';
import { type Api, byCustomId, byId, examplePath, operationPath, PROJECTS, UNKNOWN_OPERATION } from '../api.ts';
import { expectEcho } from '../echo.ts';
import { expectInvalid, expectOAuthError, expectProblem } from '../problems.ts';

/** Languages whose ids never change. */
const FIXED = {
  'ar-AE': 21,
  'zh-Hans': 32,
  'zh-Hant': 33,
  'en-GB': 40,
  'en-US': 41,
  'fr-CA': 48,
  'de-DE': 53,
  ja: 72,
  ko: 76,
  'pt-BR': 94,
  'es-ES': 104,
  'es-CO': 108,
  'en-CA': 158,
};

/** Tests the table "Operations" of `decisions.md`, except listing, deleting and tokens, which have their own files. */
export function operations(api: Api): void {
  describe('Operations: Create project', () => {
    afterAll(() => api.cleanUp());

    test('returns 201 with Location and the project', async () => {
      const sent = smallProject({ customId: uniqueId(), taskId: 'a task' });
      const answer = await api.post(sent);
      expect(answer.status).toBe(201);
      const { id } = await api.read(byId(`${answer.headers.location}`.split('/').at(-1) ?? ''));
      expect(answer.headers.location).toBe(`${api.target.url}/segments/projects/${id}`);
    });

    test('gives each of several requests at once its own project', async () => {
      const sent = Array.from({ length: 20 }, (_, n) => smallProject({ customId: uniqueId(), name: `Project ${n}` }));
      const created = await Promise.all(sent.map((project) => api.create(project)));
      for (const [n, project] of created.entries()) expectEcho(project, sent[n] ?? {});
      expect(new Set(created.map(({ id }) => id)).size).toBe(sent.length);
    });

    test('creates with validateOnly=false', async () => {
      expect((await api.post(smallProject(), '?validateOnly=false')).status).toBe(201);
    });
  });

  describe('Operations: Check without creating', () => {
    afterAll(() => api.cleanUp());

    test('returns 200 with counts, and writes nothing', async () => {
      const customId = uniqueId();
      const project = smallProject({
        customId,
        targetLanguages: [target(), { targetLanguageCode: 'ja' }],
        segments: [{ content: 'a😀' }, { content: 'e\u0301' }, { content: 'xyz', notes: 'not counted' }],
      });
      const before = await api.list();
      const answer = await api.check(project);
      expect(answer.status, answer.text).toBe(200);
      const { quote, ...counts } = validAnswer.parse(JSON.parse(answer.text));
      expect(counts).toEqual({ valid: true, segments: 3, targetLanguages: 2, characters: 7 });
      expect(quote).toMatchObject({ words: 3, characters: 7, repeats: 0 });
      expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
      expect(await api.list()).toEqual(before);
      await api.create(project);
    });

    test('returns the words without tags and placeholders, and the repeated segments', async () => {
      const contents = ['<p>Hello, <b>{name}</b>!</p>', 'Good morning', '<p>Hello, <b>{name}</b>!</p>'];
      const answer = await api.check(smallProject({ segments: contents.map((content) => ({ content })) }));
      expect(validAnswer.parse(JSON.parse(answer.text)).quote).toMatchObject({ words: 4, repeats: 1 });
    });

    test('returns every fault otherwise', async () => {
      const { name: _, ...project } = smallProject({ segments: [{ content: '' }] });
      expectInvalid(await api.check(project), ['/name', 'required'], ['/segments/0/content', 'empty']);
      const old = smallProject({ startDateUtc: '2020-01-01T00:00:00Z' });
      expectInvalid(await api.check(old), ['/startDateUtc', 'start-not-now']);
    });
  });

  for (const [heading, pathOf] of Object.entries({
    'Get project': ({ id }: ProjectAnswer) => byId(id),
    'Get by custom id': ({ customId = '' }: ProjectAnswer) => byCustomId(customId),
  })) {
    describe(`Operations: ${heading}`, () => {
      let project: ProjectAnswer;
      beforeAll(async () => {
        project = await api.create(
          smallProject({
            customId: uniqueId(),
            taskId: 'own',
            segments: [
              { content: '1', taskId: 'one' },
              { content: '2' },
              { content: '3', taskId: 'one' },
              { content: '4', taskId: 'a b+c' },
              { content: '5', taskId: 'own' },
            ],
          }),
        );
      });
      afterAll(() => api.cleanUp());

      test('returns 200 with the project', async () => {
        expect(await api.read(pathOf(project))).toEqual(project);
      });

      for (const [query, contents] of Object.entries({
        one: ['1', '3'],
        own: ['2', '5'],
        'a+b%2Bc': ['4'],
        'a%20b%2bc': ['4'],
      })) {
        test(`returns only that task's segments with taskId: ${query}`, async () => {
          const got = await api.read(`${pathOf(project)}?taskId=${query}`);
          expect(got).toEqual({
            ...project,
            segments: project.segments.filter(({ content }) => contents.includes(content)),
          });
        });
      }

      test('is 404 for an unknown task', async () => {
        for (const taskId of ['One', 'one%20', 'on', '1', '%E2%82%AC']) {
          expectProblem(await api.get(`${pathOf(project)}?taskId=${taskId}`), 'task-not-found');
        }
      });
    });
  }

  describe('Operations: Languages', () => {
    test('returns 200 with an array of { id, langCode, descriptiveName }, with unique ids and codes', async () => {
      const answer = await api.get('/integrations/languages');
      expect(answer.status).toBe(200);
      const languages = languagesAnswer.parse(JSON.parse(answer.text));
      expect(languages.length).toBeGreaterThanOrEqual(170);
      expect(new Set(languages.map(({ id }) => id)).size).toBe(languages.length);
      expect(new Set(languages.map(({ langCode }) => langCode.toLowerCase())).size).toBe(languages.length);
      for (const [langCode, id] of Object.entries(FIXED)) {
        expect(languages).toContainEqual({ id, langCode, descriptiveName: expect.any(String) });
      }
    });
  });

  describe('Operations: Operation', () => {
    const others = ['1', 'x', `${UNKNOWN_OPERATION}A`, UNKNOWN_OPERATION.slice(1), `%41${UNKNOWN_OPERATION.slice(1)}`];
    for (const operationId of [UNKNOWN_OPERATION, ...others]) {
      test(`is 404 for an unknown operation: ${operationId}`, async () => {
        expectProblem(await api.get(operationPath(operationId)), 'operation-not-found');
      });
    }

    test('refuses a body', async () => {
      expectProblem(await api.get(operationPath(UNKNOWN_OPERATION), { json: {} }), 'unexpected-body');
    });
  });

  describe('Operations: Health', () => {
    test('returns 200 without credentials', async () => {
      expect((await api.get('/health', { headers: { authorization: null } })).status).toBe(200);
      expect((await api.get('/health', { headers: { authorization: 'Basic wrong' } })).status).toBe(200);
    });
  });

  describe('Operations: query parameters', () => {
    for (const { method, path, query, checksQuery, errorForm } of ROUTES as readonly Route[]) {
      // A webhook source decides which parameter it takes, so an unknown source comes first.
      if (checksQuery) continue;
      const isOAuth = errorForm === 'oauth';
      const own = examplePath(path);
      const anyType = { headers: { accept: '*/*' } };
      test(`an unknown parameter is 400: ${method} ${path}`, async () => {
        const wrong = ['x=1', 'x', '=1', 'validateonly=true', 'taskid=x', 'limit%20=1', 'Limit=1', 'taskId[]=x'];
        for (const unknown of wrong) {
          const [name = ''] = decodeURIComponent(unknown).split('=');
          const answer = await api.send(method, `${own}?${unknown}`, anyType);
          if (isOAuth) expectOAuthError(answer, 'invalid_request', 'unknown-parameter');
          else expectProblem(answer, 'unknown-parameter', [[`/query/${name}`, 'unknown-parameter']]);
        }
      });
      for (const name of query.map(queryName)) {
        test(`an empty, ill-formed or repeated parameter is 400: ${method} ${path} ${name}`, async () => {
          // Some gateways refuse bytes that are not UTF-8 before they check credentials.
          expectProblem(await api.send(method, `${own}?${name}=%FF`), 'invalid-parameter');
          for (const bad of [name, `${name}=`, `${name}=%20`]) {
            expectProblem(await api.send(method, `${own}?${bad}`), 'invalid-parameter', [
              [`/query/${name}`, 'invalid-parameter'],
            ]);
          }
          const repeated = `${name}=true&${name}=true`;
          expectProblem(await api.send(method, `${own}?${repeated}`), 'invalid-parameter', [
            [`/query/${name}`, 'repeated-parameter'],
          ]);
        });
      }
    }

    test('a misspelt flag is refused, so that a check never creates a project', async () => {
      const before = await api.list();
      const wrong = ['validateOnly=1', 'validateOnly=TRUE', 'validateOnly=yes', 'validateOnly', 'validateOnly=true%20'];
      for (const query of wrong) {
        expectProblem(await api.post(smallProject(), `?${query}`), 'invalid-parameter');
      }
      for (const query of ['validateonly=true', 'ValidateOnly=true', 'validate_only=true', 'dryRun=true']) {
        expectProblem(await api.post(smallProject(), `?${query}`), 'unknown-parameter');
      }
      expect(await api.list()).toEqual(before);
    });

    test('limit must be 1 to 100', async () => {
      for (const limit of ['x', '0', '101', '-1', '1.5', '1e1', '+5', '05', '%205', '0x5']) {
        expectProblem(await api.get(`${PROJECTS}?limit=${limit}`), 'invalid-parameter', [
          ['/query/limit', 'invalid-parameter'],
        ]);
      }
      for (const limit of [1, 100]) expect((await api.get(`${PROJECTS}?limit=${limit}`)).status).toBe(200);
    });

    test('the name of a parameter is decoded like its value', async () => {
      expect((await api.get(`${PROJECTS}?l%69mit=1`)).status).toBe(200);
    });
  });
}
