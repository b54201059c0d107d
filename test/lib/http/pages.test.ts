import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import openApi from '../../../lib/contract/openapi.json' with { type: 'json' };
import { problemPage } from '../../../lib/contract/problem-page.ts';
import { getProblemType, problemHtml } from '../../../lib/http/operations/get-problem-type.ts';
import { getReference } from '../../../lib/http/operations/get-reference.ts';
import { Reference, referenceHtml } from '../../../lib/http/reference-page.ts';
import { contextOf, eventOf, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const BASE = 'https://api.example.com/v1';
const page = problemPage('invalid-project', `${BASE}/problems`);
const reference = Reference.parse(openApi);
const referencePage = referenceHtml(reference, BASE);
const problemAnswer = await getProblemType(options)(
  eventOf('getProblemType', { authorizer: null, segment: 'invalid-project' }),
  contextOf(),
);
const referenceAnswer = await getReference(options)(eventOf('getReference', { authorizer: null }), contextOf());

const TAG = /<[^>]*>/g;
/** Returns the tags of a page, except those around code, which a text may add. */
const structure = (html: string) => (html.match(TAG) ?? []).filter((tag) => !/^<\/?code>$/.test(tag));
/** Returns the text of a piece of HTML, as a browser shows it. */
const shown = (html: string) =>
  html
    .replace(TAG, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('<', '>', '&', '"', "'", '`', '<script>', '</main>', '<!--', '&lt;', '$1', '$&', ' ', 'x'),
    ),
  )
  .map((parts) => parts.join(''));

describe.each([
  ['the page of a problem', problemAnswer, problemHtml(page)],
  ['the reference page', referenceAnswer, referencePage],
])('%s', (_, answer, html) => {
  it('is HTML that may be cached, and allows only its own style', () => {
    const { status, headers, text } = readAnswer(answer);
    expect([status, text]).toEqual([200, html]);
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
    });
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['Content-Security-Policy']).toMatch(/^default-src 'none'; /);
    expect(headers['Content-Security-Policy']).toContain(`style-src 'sha256-${hash}'; `);
    expect(headers['Content-Security-Policy']).not.toContain('unsafe');
  });
});

describe('the page of a problem', () => {
  it('keeps its structure and shows every text', () => {
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
});

describe('the reference page', () => {
  it('links only to its own sections, to problem pages and to the description', () => {
    const ids = Array.from(referencePage.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = Array.from(referencePage.matchAll(/ href="([^"]+)"/g), ([, href = '']) => href);
    expect(links.length).toBeGreaterThan(100);
    for (const href of links) {
      if (href.startsWith('#')) expect(ids).toContain(href.slice(1));
      else expect(href).toMatch(/^https:\/\/api\.example\.com\/v1\/(?:problems\/[a-z-]+|openapi\.json)$/);
    }
  });

  it('keeps its structure with every text', () => {
    const [name = '', schema = {}] = Object.entries(reference.components.schemas)[0] ?? [];
    const withText = (description: string) => {
      const properties = { field: { type: 'string', description } };
      const components = {
        schemas: { [name]: { ...schema, properties } },
        securitySchemes: { [name]: { scheme: description, description } },
      };
      return referenceHtml(
        { ...reference, info: { ...reference.info, description: description.replaceAll('\n\n', ' ') }, components },
        BASE,
      );
    };
    const usual = structure(withText(''));
    fc.assert(
      fc.property(hostile, (text) => {
        expect(structure(withText(text))).toEqual(usual);
      }),
      { numRuns: 50 },
    );
  });
});
