import { afterAll, describe, expect, test } from 'vitest';
import { member, segments, smallProject, target, uniqueId } from '../../support/projects.ts';
import { problemTypeAnswer } from '../answers.ts';
import {
  type Answer,
  type Api,
  byCustomId,
  byId,
  nextPage,
  operationPath,
  PROJECTS,
  UNKNOWN_OPERATION,
} from '../api.ts';
import { expectProblem, type OAuthProblem, STATUSES, type TestedProblem } from '../problems.ts';

/** Tests "Errors" of both documents: one request for each type, and the rules for all problems. */
export function errors(api: Api): void {
  const proofreaderOnly = () => {
    const team = [member({ isTranslator: false, isProofreader: true })];
    return smallProject({ targetLanguages: [target({ team })] });
  };
  const inUse = async () => {
    const customId = uniqueId();
    await api.create(smallProject({ customId }));
    return api.post(smallProject({ customId }));
  };
  const unknownTask = async () => api.get(`${byId((await api.create(smallProject())).id)}?taskId=nothing`);

  const outdatedPage = async () => {
    const { id } = await api.create(smallProject({ taskId: 'task', segments: segments(2) }));
    const next = nextPage(await api.get(`${byId(id)}/segments?limit=1`)) ?? '';
    await api.delete(`${byId(id)}?taskId=task`);
    return api.get(next);
  };

  /** Deletes a project with the plan of its task. */
  const planOfTask = async () => {
    const { id } = await api.create(smallProject({ taskId: 'task' }));
    const { plan } = JSON.parse((await api.get(`${byId(id)}/deletion?taskId=task`)).text);
    return api.delete(byId(id), { headers: { 'if-match': `"${plan}"` } });
  };

  const requests: Readonly<Record<Exclude<TestedProblem, OAuthProblem>, () => Promise<Answer>>> = {
    'malformed-json': () => api.post(undefined, '', { body: '{' }),
    'invalid-project': () => api.post({}),
    'invalid-translations': () => api.send('PATCH', `${byId(1)}/translations`, { json: [] }),
    'invalid-language-change': () => api.send('PATCH', `${byId(1)}/languages/de`, { json: {} }),
    'invalid-parameter': () => api.get(`${PROJECTS}?limit=x`),
    'unknown-parameter': () => api.get(`${PROJECTS}?page=2`),
    'unexpected-body': () => api.delete(byId(1), { json: {} }),
    unauthenticated: () => api.get(PROJECTS, { headers: { authorization: null } }),
    'project-not-found': () => api.get(byCustomId(uniqueId())),
    'task-not-found': unknownTask,
    'language-not-found': () => api.send('PATCH', `${byId(1)}/languages/%ff`, { json: { state: 'InProgress' } }),
    'operation-not-found': () => api.get(operationPath(UNKNOWN_OPERATION)),
    'source-not-found': () => api.send('POST', '/webhooks/none', { json: {} }),
    'route-not-found': () => api.get('/projects'),
    'method-not-allowed': () => api.send('PUT', PROJECTS),
    'not-acceptable': () => api.get(PROJECTS, { headers: { accept: 'text/html' } }),
    'custom-id-in-use': inUse,
    'page-outdated': outdatedPage,
    'plan-outdated': planOfTask,
    'too-large': () => api.post(undefined, '', { body: ' '.repeat(4_194_305) }),
    'unsupported-media-type': () => api.post({}, '', { headers: { 'content-type': 'text/plain' } }),
    'team-without-translator': () => api.post(proofreaderOnly()),
  };

  describe('Errors', () => {
    afterAll(() => api.cleanUp());

    for (const type of Object.keys(requests) as (keyof typeof requests)[]) {
      test(`returns ${STATUSES[type]} ${type} with a type that links to its page`, async () => {
        const { type: uri, title, status, retryable, outcome } = expectProblem(await requests[type](), type);
        const page = await api.get(uri.slice(api.target.url.length), { headers: { authorization: null } });
        const told = problemTypeAnswer.parse(JSON.parse(page.text));
        expect(told).toMatchObject({ type: uri, title, status, retryable, outcome });
      });
    }

    test('errors lists every fault that was found', async () => {
      const project = {
        colour: 'red',
        startDateUtc: 5,
        endDateUtc: 'tomorrow',
        sourceLanguageCode: 'de',
        targetLanguages: [{ targetLanguageCode: 'xx' }, { targetLanguageCode: 'ja', state: 'Done' }],
        segments: [{ content: '' }, { content: 'x', taskId: ' ' }, {}],
      };
      expectProblem(await api.post(project), 'invalid-project', [
        ['/colour', 'unknown-field'],
        ['/endDateUtc', 'invalid-date'],
        ['/name', 'required'],
        ['/segments/0/content', 'empty'],
        ['/segments/1/taskId', 'blank'],
        ['/segments/2/content', 'required'],
        ['/startDateUtc', 'wrong-type'],
        ['/targetLanguages/0/targetLanguageCode', 'unknown-language'],
        ['/targetLanguages/1/state', 'not-allowed'],
      ]);
    });

    test('errors lists at most the first 100 faults', async () => {
      const answer = await api.post(smallProject({ segments: segments(150, { content: '' }) }));
      const { errors = [] } = expectProblem(answer, 'invalid-project');
      const expected = Array.from({ length: 100 }, (_, n) => `/segments/${n}/content`);
      expect(errors.map(({ pointer }) => pointer)).toEqual(expected);
    });

    test('validateOnly returns the same faults, and a fault in its query separately', async () => {
      const [created, checked] = [await api.post({ nonsense: true }), await api.check({ nonsense: true })];
      expect(expectProblem(checked, 'invalid-project').errors).toEqual(
        expectProblem(created, 'invalid-project').errors,
      );
      expectProblem(await api.get(`${PROJECTS}?limit=0&cursor=x`), 'invalid-parameter', [
        ['/query/cursor', 'invalid-parameter'],
        ['/query/limit', 'invalid-parameter'],
      ]);
    });

    test('the fault of a start date has the service’s time', async () => {
      const { errors } = expectProblem(
        await api.post(smallProject({ startDateUtc: '2020-01-01T00:00:00Z' })),
        'invalid-project',
        [['/startDateUtc', 'start-not-now']],
      );
      expect(errors?.[0]?.detail).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
    });

    test('a refusal of a near miss names the right place', async () => {
      const custom = '/segments/projects/custom/{customId}';
      const { detail } = expectProblem(
        await api.send('POST', '/projects', { json: smallProject() }),
        'route-not-found',
      );
      expect(detail).toContain(' /segments/projects,');
      for (const path of ['/projects', '/segments/project', '/segments']) {
        expect(expectProblem(await api.get(`${path}?customId=a`), 'route-not-found').detail).toContain(custom);
      }
      for (const name of ['customId', 'customid', 'custom_id']) {
        const { errors } = expectProblem(await api.get(`${PROJECTS}?${name}=a`), 'unknown-parameter');
        expect(errors?.[0]?.detail).toContain(custom);
      }
      for (const path of [byId(1), `${PROJECTS}/custom/a`]) {
        const answer = await api.delete(path, { json: { taskId: 'a' } });
        expect(expectProblem(answer, 'unexpected-body').detail).toContain('?taskId=');
      }
    });

    test('instance is the request id, and differs for every request', async () => {
      const ids = [];
      for (let n = 0; n < 3; n++) ids.push(expectProblem(await api.get('/nowhere'), 'route-not-found').instance);
      expect(new Set(ids).size).toBe(3);
    });

    test('a problem repeats no credentials and no content', async () => {
      const secret = 'Do not repeat this';
      const answers = [
        await api.post(smallProject({ name: [secret], description: 7, segments: [{ content: { secret } }] })),
        await api.post(undefined, '', { body: `{"name":"${secret}",}` }),
        await api.post(smallProject({ endDateUtc: secret, targetLanguages: [target({ state: secret })] })),
        await api.get(PROJECTS, { headers: { authorization: `${api.target.authorization}x` } }),
        await api.send('POST', '/authentication/token', { json: { username: secret, password: api.target.apiKey } }),
      ];
      for (const { status, text } of answers) {
        expect(status).toBeGreaterThanOrEqual(400);
        for (const hidden of [secret, api.target.apiKey, api.target.authorization.slice(6)]) {
          expect(text).not.toContain(hidden);
        }
      }
    });
  });
}
