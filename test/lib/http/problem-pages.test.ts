import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problemPage } from '../../../lib/contract/problem-page.ts';
import { getProblemType, problemHtml } from '../../../lib/http/operations/get-problem-type.ts';
import { contextOf, type EventOptions, eventOf, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const ask = async (event: EventOptions) =>
  readAnswer(await getProblemType(options)(eventOf('getProblemType', { authorizer: null, ...event }), contextOf()));
const page = problemPage('invalid-project', 'https://api.example.com/v1/problems');

describe('the page of a problem type', () => {
  it('is HTML that may be kept, and has nothing but its own style', async () => {
    const { status, headers, text } = await ask({ segment: 'invalid-project' });
    expect([status, text]).toEqual([200, problemHtml(page)]);
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept, Accept-Encoding',
      'X-Request-Id': 'request-1',
    });
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['Content-Security-Policy']).toMatch(/^default-src 'none'; /);
    expect(headers['Content-Security-Policy']).toContain(`; style-src 'sha256-${hash}'; `);
    expect(headers['Content-Security-Policy']).not.toContain('unsafe');
  });

  it('is JSON for whom wants that, with the same life', async () => {
    const { status, headers, json } = await ask({ segment: 'unavailable', headers: { Accept: 'application/json' } });
    expect([status, json]).toEqual([
      200,
      {
        type: 'https://api.example.com/v1/problems/unavailable',
        title: 'Segue is unavailable',
        status: 503,
        retryable: true,
        outcome: 'not-applied',
        explanation: expect.stringMatching(/^Segue cannot reach its store .* Wait for the time in `Retry-After`/),
      },
    ]);
    expect(headers).toMatchObject({
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=3600',
      Vary: 'Accept, Accept-Encoding',
    });
  });

  it('comes with gzip to whom accepts it', async () => {
    const { headers, text } = await ask({ segment: 'invalid-project', headers: { 'Accept-Encoding': 'gzip' } });
    expect(headers['Content-Encoding']).toBe('gzip');
    expect(text).toBe(problemHtml(page));
  });

  it.each(['invalid', 'Invalid-Project', 'invalid%2Dproject', '__proto__', 'constructor', 'toString', '%', '.'])(
    'is not there for %j',
    async (segment) => {
      const { status, headers, json } = await ask({ segment });
      expect([status, headers['Cache-Control']]).toEqual([404, 'no-store']);
      expect(json).toMatchObject({ type: 'https://api.example.com/v1/problems/route-not-found' });
    },
  );
});

const TAG = /<[^>]*>/g;
/** The tags of a page, less those around code, of which a text decides. */
const structure = (html: string) => (html.match(TAG) ?? []).filter((tag) => !/^<\/?code>$/.test(tag));
/** The text of a piece of a page, as a browser would show it. */
const shown = (html: string) =>
  html
    .replace(TAG, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

describe('the HTML', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('<', '>', '&', '"', "'", '`', '<script>', '</main>', '<!--', '&lt;', '$1', '$&', ' ', 'x'))
      .map((parts) => parts.join('')),
  );

  it('opens and closes each element in order', () => {
    const open: string[] = [];
    for (const [, end, name = ''] of problemHtml(page).matchAll(/<(\/?)(\w+)[^>]*>/g)) {
      if (end === '/') expect(open.pop()).toBe(name);
      else if (name !== 'meta') open.push(name);
    }
    expect(open).toEqual([]);
  });

  it('keeps its structure and shows every text, whatever stands in it', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = problemHtml({ ...page, title: text, cause: text, remedy: text, answeredBy: [text], retry: text });
        expect(structure(html)).toEqual(structure(problemHtml(page)));
        const [, cause = ''] = /<h2>When it happens<\/h2>\n<p>(.*?)<\/p>\n<h2>/s.exec(html) ?? [];
        expect(shown(cause)).toBe(text.replace(/`([^`]+)`/g, '$1'));
        expect(cause.replace(TAG, '').replace(/&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/[<>&"]/);
      }),
    );
  });

  it('shows as code what is between backticks', () => {
    expect(problemHtml({ ...page, cause: 'Send `a < b` and `c`, not `d.' })).toContain(
      '<p>Send <code>a &lt; b</code> and <code>c</code>, not `d.</p>',
    );
  });
});
