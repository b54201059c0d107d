import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import viewer from '#viewer' with { type: 'json' };
import { securityContact } from '../../../functions/compose/environment.ts';
import { problemPage } from '../../../lib/contract/problem-page.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../../lib/contract/problems.ts';
import type { SecurityContact } from '../../../lib/contract/settings.ts';
import { getProblemType, problemHtml } from '../../../lib/operations/get-problem-type.ts';
import { getReference } from '../../../lib/operations/get-reference.ts';
import { getReferenceFile } from '../../../lib/operations/get-reference-file.ts';
import { getSecurityText } from '../../../lib/operations/get-security-text.ts';
import { listProblemTypes } from '../../../lib/operations/list-problem-types.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { NOW_MS } from '../support.ts';
import { contextOf, eventOf, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const BASE = 'https://api.example.com/v1';
const page = problemPage('invalid-project', `${BASE}/problems`, ROUTES);
const problemAnswer = await getProblemType(ROUTES, options)(
  eventOf('getProblemType', { authorizer: null, segment: 'invalid-project' }),
  contextOf(),
);
const indexAnswer = await listProblemTypes(options)(eventOf('listProblemTypes', { authorizer: null }), contextOf());
const referenceAnswer = await getReference(options)(eventOf('getReference', { authorizer: null }), contextOf());
const fileAnswer = (segment: string, headers: Record<string, string[]> = {}) =>
  getReferenceFile(options)(eventOf('getReferenceFile', { authorizer: null, segment, headers }), contextOf());

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
  ['the page of a problem', problemAnswer],
  ['the index of problems', indexAnswer],
  ['the reference page', referenceAnswer],
])('%s', (_, answer) => {
  const { status, headers, text } = readAnswer(answer);
  const policy = headers['Content-Security-Policy'];

  it('is HTML that may be cached', () => {
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
    });
  });

  it('allows no style of its own but that of all pages, and nothing from elsewhere', () => {
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text.match(/ style=/g)).toBeNull();
  });

  it('links to the reference, the problems and the description', () => {
    const links = Array.from(text.matchAll(/ href="(https:[^"]+)"/g), ([, href]) => href);
    expect(links.slice(0, 3)).toEqual([`${BASE}/docs`, `${BASE}/problems`, `${BASE}/openapi.json`]);
  });
});

it('the index of problems links to every problem page, with its title', () => {
  const { text } = readAnswer(indexAnswer);
  for (const type of PROBLEM_TYPES) {
    expect(text).toContain(`<a href="${BASE}/problems/${type}">${PROBLEMS[type].title}</a>`);
  }
});

describe('the page of a problem', () => {
  it('keeps its structure and shows every text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const texts = {
          title: text,
          cause: text,
          remedy: text,
          answeredBy: page.answeredBy.map(() => text),
          retry: text,
        };
        const html = problemHtml({ ...page, ...texts }, BASE);
        expect(structure(html)).toEqual(structure(problemHtml(page, BASE)));
        const [, cause = ''] = /<h2>When it happens<\/h2>\n<p>(.*?)<\/p>\n<h2>/s.exec(html) ?? [];
        expect(shown(cause)).toBe(text.replace(/`([^`]+)`/g, '$1'));
        expect(cause.replace(TAG, '').replace(/&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/[<>&"]/);
      }),
    );
  });
});

describe('the script of the reference page', () => {
  it('has the name that the page loads, with the hash of its content', async () => {
    const { headers, body } = await fileAnswer(viewer.name, { 'Accept-Encoding': ['gzip'] });
    expect(headers).toMatchObject({
      'Content-Type': 'text/javascript; charset=utf-8',
      'Content-Encoding': 'gzip',
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
    const script = gunzipSync(Buffer.from(body, 'base64'));
    expect(viewer.name).toBe(`viewer-${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`);
    expect(readAnswer(referenceAnswer).text).toContain(`<script src="docs/${viewer.name}" defer></script>`);
  });

  it('fits into an answer without compression', async () => {
    const { statusCode, body } = await fileAnswer(viewer.name);
    expect([statusCode, Buffer.from(body, 'base64').length]).toEqual([200, viewer.length]);
  });

  it('is 404 under the name of another version', async () => {
    const answer = await fileAnswer('viewer-0000000000000000.js');
    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({ type: `${BASE}/problems/route-not-found` });
  });
});

describe('security.txt', () => {
  const handle = async (security: SecurityContact | undefined, nowMs = NOW_MS) => {
    const at = { ...options, now: () => nowMs };
    return readAnswer(
      await getSecurityText(security, at)(eventOf('getSecurityText', { authorizer: null }), contextOf()),
    );
  };
  const security = { contact: 'mailto:security@example.com', policy: 'https://example.com/security' };
  const expiryIn = (text: string) => Date.parse(/^Expires: (.*)$/m.exec(text)?.[1] ?? '');

  it('has the contact, its own URL and the policy', async () => {
    const { status, headers, text } = await handle(security);
    expect([status, headers['Content-Type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text.split('\n')).toEqual([
      'Contact: mailto:security@example.com',
      expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT00:00:00\.000Z$/),
      `Canonical: ${BASE}/.well-known/security.txt`,
      'Policy: https://example.com/security',
      'Preferred-Languages: en',
      '',
    ]);
  });

  it('never expires in the past, nor after a year', async () => {
    for (const nowMs of [NOW_MS, Date.UTC(2028, 1, 29, 23, 59, 59, 999), Date.UTC(2031, 11, 31)]) {
      const { text } = await handle({ contact: security.contact }, nowMs);
      expect(text).not.toContain('Policy');
      const days = (expiryIn(text) - nowMs) / 86_400_000;
      expect(days).toBeGreaterThan(170);
      expect(days).toBeLessThan(365);
    }
  });

  it('is not found without a contact', async () => {
    expect(await handle(undefined)).toMatchObject({
      status: 404,
      json: { type: `${BASE}/problems/route-not-found`, detail: expect.stringContaining('no contact') },
    });
  });
});

describe('a contact for security reports', () => {
  it.each([
    ...['mailto:security@example.com', 'mailto:a.b+c@sub.example.org', 'https://example.com'],
    ...['https://example.com/report?to=segue#form', 'https://example.com:8443/x'],
  ])('may be %s', (contact) => {
    expect(securityContact({ SEGUE_SECURITY_CONTACT: contact })).toEqual({ contact });
  });

  it.each([
    ...['security@example.com', 'http://example.com', 'mailto:', 'mailto:a@b', 'https://'],
    ...['mailto:a@example.com\nPolicy: https://x.example', 'https://example.com/a b', 'tel:+15550100'],
  ])('must not be %j', (contact) => {
    expect(() => securityContact({ SEGUE_SECURITY_CONTACT: contact })).toThrow(
      /SEGUE_SECURITY_CONTACT must be an https/,
    );
  });
});
