import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ROUTES } from '../../../lib/operations/routes.ts';
import type { Api } from '../api.ts';
import { valueAt } from '../pointer.ts';
import { expectProblem } from '../problems.ts';

const Description = z.object({
  openapi: z.literal('3.1.0'),
  servers: z.array(z.object({ url: z.string() })),
  components: z.object({
    securitySchemes: z.object({
      oauth: z.object({ flows: z.object({ clientCredentials: z.object({ tokenUrl: z.string() }) }) }),
    }),
  }),
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
});

const CreationBody = z.object({ example: z.record(z.string(), z.unknown()) });

/** Tests "Health, description, reference page", under "Operations" of `decisions.md`. */
export function description(api: Api): void {
  const nobody = { authorization: null };

  describe('Operations: Description', () => {
    test('returns 200 without credentials: OpenAPI with every operation and the requested base URL', async () => {
      const answer = await api.get('/openapi.json', { headers: nobody });
      expect(answer.status).toBe(200);
      const { servers, paths, components } = Description.parse(JSON.parse(answer.text));
      expect(servers).toEqual([{ url: api.target.url }]);
      const { tokenUrl } = components.securitySchemes.oauth.flows.clientCredentials;
      expect(tokenUrl).toBe(`${api.target.url}/oauth/token`);
      const described = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
      );
      expect(described.sort()).toEqual(ROUTES.map(({ id, method, path }) => `${id} ${method} ${path}`).sort());
    });

    test('has an example of a project that can be created, and may be cached for less time than it can be', async () => {
      const { headers, text } = await api.get('/openapi.json', { headers: nobody });
      expect(headers['cache-control']).toBe('public, max-age=60');
      const { example } = CreationBody.parse(
        valueAt(JSON.parse(text), '/paths/~1segments~1projects/post/requestBody/content/application~1json'),
      );
      const answer = await api.check({ ...example, customId: null });
      expect(answer.status, answer.text).toBe(200);
    });
  });

  describe('Operations: Reference page', () => {
    const html = { ...nobody, accept: 'text/html' };

    test('returns 200 without credentials: HTML that loads its script from this API', async () => {
      for (const accept of ['text/html', '*/*', null]) {
        const { status, headers, text } = await api.get('/docs', { headers: { ...html, accept } });
        expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
        const [, source] = /<script src="([^"]+)"/.exec(text) ?? [];
        const script = await api.get(`/${source}`, { headers: { ...html, accept: '*/*' } });
        expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
        expect(script.headers['cache-control']).toContain('immutable');
      }
    });

    test('may be cached, and runs no other scripts', async () => {
      const { headers, text } = await api.get('/docs', { headers: html });
      expect(headers['cache-control']).toMatch(/\bpublic\b/);
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(text).not.toMatch(/<script>|<img|javascript:|\son\w+=/i);
    });

    test('is 406 for a client that does not accept HTML', async () => {
      expectProblem(await api.get('/docs', { headers: { accept: 'application/json' } }), 'not-acceptable');
    });
  });

  test('Operations: security.txt is that of RFC 9116, or 404 without a contact of the operator', async () => {
    const path = '/.well-known/security.txt';
    const answer = await api.get(path, { headers: { ...nobody, accept: 'text/plain' } });
    if (answer.status === 404) {
      expectProblem(answer, 'route-not-found');
      return;
    }
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const fields = answer.text.split('\n').map((line) => line.split(': '));
    const valuesOf = (name: string) => fields.flatMap(([found, value = '']) => (found === name ? [value] : []));
    expect(valuesOf('Contact')[0]).toMatch(/^(?:https:|mailto:)/);
    expect(valuesOf('Canonical')).toEqual([`${api.target.url}${path}`]);
    const [expiry, ...more] = valuesOf('Expires').map(Date.parse);
    expect(more).toEqual([]);
    expect(expiry).toBeGreaterThan(Date.now());
    expect(expiry).toBeLessThan(Date.now() + 366 * 86_400_000);
  });

  for (const path of ['/openapi.json', '/docs', '/.well-known/security.txt']) {
    test(`Operations: ${path} refuses a body`, async () => {
      expectProblem(await api.get(path, { json: {}, headers: { accept: '*/*' } }), 'unexpected-body');
    });
  }
}
