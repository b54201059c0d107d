import { describe, expect, test } from 'vitest';
import { servedMethods } from '../../../lib/contract/routes.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Answer, type Api, examplePath, type Options, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';

/** Headers of a request: the default ones, none of a company, and those of another media type. */
const HEADERS: NonNullable<Options['headers']>[] = [{}, { authorization: null }, { accept: 'image/png' }];

/** Tests "Endpoints" of `service.md`, and the paths and methods of `decisions.md`. */
export function endpoints(api: Api): void {
  test('Endpoints: Delete project by id or custom id: the identifier is required', async () => {
    for (const nothing of [PROJECTS, `${PROJECTS}/custom`, `${PROJECTS}/custom/`, `${PROJECTS}/`]) {
      expect((await api.delete(nothing)).status).toBeOneOf([404, 405]);
    }
  });

  describe('Endpoints: paths and methods', () => {
    const nowhere = ['/', '/segments', '/Segments/Projects', `${PROJECTS}/1/2`, '/segments//projects', '/healthy'];
    for (const path of nowhere) {
      test(`an unknown path is 404, with or without credentials: ${path}`, async () => {
        for (const authorization of [api.target.authorization, null]) {
          for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
            expectProblem(await api.send(method, path, { headers: { authorization } }), 'route-not-found');
          }
        }
      });
    }

    for (const { method, path } of ROUTES) {
      if (method !== 'GET') continue;
      test(`HEAD is answered like GET, without a body: ${path}`, async () => {
        const { id, customId } = await api.create(smallProject({ customId: uniqueId() }));
        const paths = [
          path.replace('{id}', `${id}`).replace('{customId}', encodeURIComponent(`${customId}`)),
          `${examplePath(path)}?x=1`,
        ].map((each) => (each.includes('{') ? examplePath(path) : each));
        for (const each of paths) {
          for (const headers of HEADERS) {
            const [head, get] = [await api.send('HEAD', each, { headers }), await api.get(each, { headers })];
            expect(head.status).toBe(get.status);
            expect(comparableHeaders(head)).toEqual(comparableHeaders(get));
          }
        }
      });
    }

    for (const path of new Set(ROUTES.map((route) => route.path))) {
      const allowed: readonly string[] = ROUTES.filter((route) => route.path === path).flatMap(servedMethods);
      const wrong = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].filter((m) => !allowed.includes(m));
      test(`a wrong method, OPTIONS included, is 405 with Allow: ${path}`, async () => {
        for (const method of wrong) {
          const answer = await api.send(method, examplePath(path));
          expect(answer.status, method).toBe(405);
          expect(`${answer.headers.allow}`.split(/ *, */).sort()).toEqual(allowed.toSorted());
          if (method !== 'HEAD') expectProblem(answer, 'method-not-allowed');
        }
      });
    }
  });
}

/**
 * Returns the headers that GET and HEAD must share. RFC 9110 lets HEAD leave out `Content-Length`, but not change it.
 */
function comparableHeaders({ headers }: Answer): object {
  const own = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];
  const isOwn = (name: string) => own.includes(name) || name === 'x-request-id' || name.startsWith('x-amz');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOwn(name)));
}
