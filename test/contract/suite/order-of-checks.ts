import { afterAll, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId, type Options, PROJECTS } from '../api.ts';
import { expectInvalid, expectProblem } from '../problems.ts';

const OVERSIZE = 'x'.repeat(4_194_305);

/**
 * Tests "The order of checks" of `decisions.md`: each request breaks the rule in its title and all rules checked later.
 */
export function orderOfChecks(api: Api): void {
  describe('Operations: the order of checks', () => {
    afterAll(() => api.cleanUp());

    const wrongType: Options = { body: OVERSIZE, headers: { 'content-type': 'text/plain' } };
    const html: Options = { ...wrongType, headers: { ...wrongType.headers, accept: 'text/html' } };
    const nobody: Options = { ...html, headers: { ...html.headers, authorization: 'Basic !' } };

    test('an unknown route is 404 before everything else', async () => {
      expectProblem(await api.send('PUT', '/nowhere?x=1', nobody), 'route-not-found');
    });

    test('a wrong method is 405 before credentials', async () => {
      expectProblem(await api.send('PUT', `${PROJECTS}?x=1`, nobody), 'method-not-allowed');
      expectProblem(
        await api.send('OPTIONS', `${PROJECTS}?x=1`, { headers: { authorization: null } }),
        'method-not-allowed',
      );
    });

    test('missing credentials are 401 before 406', async () => {
      expectProblem(await api.send('POST', `${PROJECTS}?x=1`, nobody), 'unauthenticated');
    });

    test('a wrong Accept is 406 before the query', async () => {
      expectProblem(await api.send('POST', `${PROJECTS}?x=1`, html), 'not-acceptable');
    });

    test('a wrong query is 400 before 415', async () => {
      expectProblem(await api.send('POST', `${PROJECTS}?x=1`, wrongType), 'unknown-parameter');
    });

    test('a wrong content type is 415 before 413', async () => {
      expectProblem(await api.send('POST', PROJECTS, wrongType), 'unsupported-media-type');
    });

    test('a large body is 413 before its content', async () => {
      expectProblem(await api.send('POST', PROJECTS, { body: OVERSIZE }), 'too-large');
    });

    test('an invalid body is refused before the start date', async () => {
      const { name: _, ...project } = smallProject({ startDateUtc: '2020-01-01T00:00:00Z' });
      const { errors } = expectProblem(await api.post(project), 'invalid-project');
      // All faults of one check are reported together, so the start date's fault may follow.
      expect(errors?.[0]).toMatchObject({ pointer: '/name', code: 'required' });
    });

    test('an old start date is refused before the custom id', async () => {
      const customId = uniqueId();
      await api.create(smallProject({ customId }));
      const again = smallProject({ customId, startDateUtc: '2020-01-01T00:00:00Z' });
      expectInvalid(await api.post(again), ['/startDateUtc', 'start-not-now']);
    });

    test('query and body of a DELETE are refused before the project', async () => {
      expectProblem(await api.delete(`${byCustomId(uniqueId())}?x=1`, { json: {} }), 'unknown-parameter');
      expectProblem(await api.delete(byCustomId(uniqueId()), { json: {} }), 'unexpected-body');
      expectProblem(await api.get(`${byId(1)}?taskId=`), 'invalid-parameter');
    });
  });
}
