import { describe, expect, test } from 'vitest';
import { PROBLEM_TYPES, PROBLEMS } from '../../../lib/contract/problems.ts';
import { problemTypeAnswer } from '../answers.ts';
import { type Api, pageOf } from '../api.ts';
import { expectProblem } from '../problems.ts';

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

/** Tests "One page per type at `/problems/{type}`", under "Errors" of `decisions.md`. */
export function problemPages(api: Api): void {
  const get = (type: string, accept: string | null, authorization: string | null = null) =>
    api.get(pageOf(type), { headers: { accept, authorization } });

  describe('Errors: one page per type', () => {
    for (const type of PROBLEM_TYPES) {
      test(`HTML and JSON come from the same catalogue: ${type}`, async () => {
        const { status, title, retryable, outcome } = PROBLEMS[type];
        const uri = `${api.target.url}${pageOf(type)}`;
        const page = await get(type, 'text/html');
        expect([page.status, page.headers['content-type']]).toEqual([200, HTML]);
        for (const told of [`<h1>${title}</h1>`, uri, `${status}`, outcome]) expect(page.text).toContain(told);

        const answer = await get(type, JSON_TYPE);
        expect(answer.status).toBe(200);
        const told = problemTypeAnswer.parse(JSON.parse(answer.text));
        expect(told).toMatchObject({ type: uri, title, status, retryable, outcome });
      });
    }

    test('a page needs no credentials, and ignores invalid ones', async () => {
      for (const authorization of [api.target.authorization, 'Basic wrong', 'nonsense']) {
        expect((await get('unavailable', null, authorization)).status).toBe(200);
      }
    });

    const preferences: readonly (readonly [accept: string | null, type: string])[] = [
      [null, HTML],
      ['*/*', HTML],
      ['text/html', HTML],
      ['text/*', HTML],
      ['application/json, text/html', HTML],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8', HTML],
      ['application/json', JSON_TYPE],
      ['application/*', JSON_TYPE],
      ['text/html;q=0.8, application/json', JSON_TYPE],
      ['text/html;q=0, */*', JSON_TYPE],
    ];
    for (const [accept, type] of preferences) {
      test(`a page has the preferred type, or HTML if none is preferred: ${accept ?? 'none'}`, async () => {
        const { status, headers } = await get('too-large', accept);
        expect([status, headers['content-type']]).toEqual([200, type]);
        expect(headers.vary).toMatch(/(?:^|, *)Accept(?:,|$)/i);
      });
    }

    for (const accept of ['text/plain', 'application/problem+json', 'text/html;q=0', '*/*;q=0']) {
      test(`a page is 406 if the client accepts neither type: ${accept}`, async () => {
        expectProblem(await get('too-large', accept), 'not-acceptable');
      });
    }

    test('a page may be cached, and runs no scripts', async () => {
      const { headers, text } = await get('too-large', null);
      expect(headers['cache-control']).toMatch(/\bpublic\b/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
      expect(text).not.toMatch(/<script|javascript:|\son\w+=/i);
    });

    for (const type of ['nothing', 'Too-Large', 'too%2Dlarge', 'too-large/', 'too-large/x', '__proto__']) {
      test(`an unknown type is 404: ${type}`, async () => {
        for (const accept of ['text/html', JSON_TYPE]) expectProblem(await get(type, accept), 'route-not-found');
      });
    }

    test('an index links to every page', async () => {
      const { status, headers, text } = await api.get('/problems', { headers: { accept: 'text/html' } });
      expect([status, headers['content-type']]).toEqual([200, HTML]);
      for (const type of PROBLEM_TYPES) expect(text).toContain(`"${api.target.url}${pageOf(type)}"`);
    });

    test('a page refuses a query and a body', async () => {
      expectProblem(await api.get(`${pageOf('too-large')}?lang=en`), 'unknown-parameter', [
        ['/query/lang', 'unknown-parameter'],
      ]);
      expectProblem(await api.get(pageOf('too-large'), { json: {} }), 'unexpected-body');
    });
  });
}
