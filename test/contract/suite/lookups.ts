import { describe, expect, test } from 'vitest';
import { lookUpRoutes } from '../../../lib/operations/look-up.ts';
import type { Api } from '../api.ts';
import { expectProblem } from '../problems.ts';

/** Tests the lookups: whether the service has the lists or not, nothing but their exact requests is accepted. */
export function lookups(api: Api): void {
  describe.each(lookUpRoutes)('Lookups: $path', ({ path, query }) => {
    const allowed = query.length > 0 ? '?active=true' : '';

    test('is answered with the list, or says that there is none', async () => {
      const answer = await api.get(path + allowed);
      if (answer.status === 200) expect(JSON.parse(answer.text)).toBeInstanceOf(Array);
      else expectProblem(answer, 'not-supported');
    });

    test.each([
      '?a=b',
      '?active',
      '?active=',
      '?active=false',
      '?active=TRUE',
      '?active=true&active=true',
      '?Active=true',
    ])('refuses the query %s', async (wrong) => {
      const isKnown = allowed !== '' && wrong.startsWith('?active');
      expectProblem(await api.get(path + wrong), isKnown ? 'invalid-parameter' : 'unknown-parameter');
    });

    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('has no method %s', async (method) => {
      expectProblem(await api.send(method, path), 'method-not-allowed');
    });

    test.each([
      path.toUpperCase(),
      path.toLowerCase(),
      `${path}/7`,
      `${path}/..%2f..%2fsegments`,
      path.slice(0, path.lastIndexOf('/')),
    ])('has no other path: %s', async (other) => {
      expectProblem(await api.get(other), 'route-not-found');
    });
  });
}
