import { afterAll, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId, type Options, PROJECTS } from '../api.ts';
import { expectInvalid, expectProblem } from '../problems.ts';

const OVERSIZE = 'x'.repeat(4_194_305);

/** "The order of checks" of `decisions.md`: each request breaks the rule it is named after and everything that is checked later. */
export function orderOfChecks(api: Api): void {
  describe('Operations: the order of checks', () => {
    afterAll(() => api.cleanUp());

    const wrongType: Options = { body: OVERSIZE, headers: { 'content-type': 'text/plain' } };
    const html: Options = { ...wrongType, headers: { ...wrongType.headers, accept: 'text/html' } };
    const nobody: Options = { ...html, headers: { ...html.headers, authorization: 'Basic !' } };

    test('route 404 before all', async () => {
      expectProblem(await api.send('PUT', '/nowhere?x=1', nobody), 'route-not-found');
    });

    test('method 405 before credentials', async () => {
      expectProblem(await api.send('PUT', `${PROJECTS}?x=1`, nobody), 'method-not-allowed');
      expectProblem(
        await api.send('OPTIONS', `${PROJECTS}?x=1`, { headers: { authorization: null } }),
        'method-not-allowed',
      );
    });

    test('credentials 401 before 406', async () => {
      expectProblem(await api.send('POST', `${PROJECTS}?x=1`, nobody), 'unauthenticated');
    });

    test('406 before the query', async () => {
      expectProblem(await api.send('POST', `${PROJECTS}?x=1`, html), 'not-acceptable');
    });

    test('the query 400 before 415', async () => {
      expectProblem(await api.send('POST', `${PROJECTS}?x=1`, wrongType), 'unknown-parameter');
    });

    test('415 before 413', async () => {
      expectProblem(await api.send('POST', PROJECTS, wrongType), 'unsupported-media-type');
    });

    test('413 before the body', async () => {
      expectProblem(await api.send('POST', PROJECTS, { body: OVERSIZE }), 'too-large');
    });

    test('the body before the clock', async () => {
      const { name: _, ...project } = smallProject({ startDateUtc: '2020-01-01T00:00:00Z' });
      const { errors } = expectProblem(await api.post(project), 'invalid-project');
      // Every fault that is found at once is said at once, so the clock's may follow.
      expect(errors?.[0]).toMatchObject({ pointer: '/name', code: 'required' });
    });

    test('the clock before the custom id', async () => {
      const customId = uniqueId();
      await api.create(smallProject({ customId }));
      const again = smallProject({ customId, startDateUtc: '2020-01-01T00:00:00Z' });
      expectInvalid(await api.post(again), ['/startDateUtc', 'start-not-now']);
    });

    test('the query and a body on DELETE before the project', async () => {
      expectProblem(await api.delete(`${byCustomId(uniqueId())}?x=1`, { json: {} }), 'unknown-parameter');
      expectProblem(await api.delete(byCustomId(uniqueId()), { json: {} }), 'unexpected-body');
      expectProblem(await api.get(`${byId(1)}?taskId=`), 'invalid-parameter');
    });
  });
}
