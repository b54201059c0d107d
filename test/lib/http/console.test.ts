import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import built from '#console' with { type: 'json' };
import { getConsoleFileRoute, getConsoleRoute } from '../../../lib/contract/console.ts';
import { httpFunction } from '../../../lib/http/http-function.ts';
import { getConsole } from '../../../lib/operations/get-console.ts';
import { getConsoleFile } from '../../../lib/operations/get-console-file.ts';
import { contextOf, eventAt, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const handler = httpFunction([getConsole(options), getConsoleFile(options)]);
const page = () => handler(eventAt(getConsoleRoute, { authorizer: null }), contextOf());
const file = (segment: string, headers: Record<string, string[]> = {}) =>
  handler(eventAt(getConsoleFileRoute, { authorizer: null, segment, headers }), contextOf());
const NAMES = built.files.map(({ name }) => name);

/** Returns the files that a page loads. */
const filesIn = (html: string) =>
  Array.from(html.matchAll(/(?:src|href)="console\/([^"]+)"/g), ([, name = '']) => name);

function textOf(name: string): string {
  const { gzip = '' } = built.files.find((file) => file.name === name) ?? {};
  return gunzipSync(Buffer.from(gzip, 'base64')).toString();
}

/** Returns the files that the page loads, with the scripts that these import. */
function loadedAtOnce(): string[] {
  const names = new Set(filesIn(built.html));
  for (const name of names) {
    for (const [, part = ''] of textOf(name).matchAll(/(?:import|from)"\.\/([\w.-]+\.js)"/g)) names.add(part);
  }
  return [...names];
}

describe('the console', () => {
  it('has at most 66 KB with gzip before a user needs a file, and 225 KB with every format', () => {
    const sizeOf = (names: readonly string[]) => {
      const sizes = built.files.filter(({ name }) => names.includes(name)).map(({ gzip }) => gzip);
      return sizes.reduce((sum, gzip) => sum + Buffer.from(gzip, 'base64').length, built.html.length);
    };
    expect(sizeOf(loadedAtOnce())).toBeLessThanOrEqual(66_000);
    expect(sizeOf(NAMES)).toBeLessThanOrEqual(225_000);
  });

  it('loads its script and its style by names that change with their content', async () => {
    const answer = await page();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' });
    const { text } = readAnswer(answer);
    expect(filesIn(text)).toHaveLength(2);
    expect(NAMES).toEqual(expect.arrayContaining(filesIn(text)));
    expect(text).not.toMatch(/<style|style=|<script(?! type="module" src=)/);
  });

  it('has no script that loads a file it does not have', () => {
    const imported = NAMES.flatMap((name) =>
      Array.from(textOf(name).matchAll(/"\.\/([\w.-]+\.js)"/g), ([, part]) => part),
    );
    expect(new Set(imported).size).toBeGreaterThan(10);
    expect(NAMES).toEqual(expect.arrayContaining(imported));
  });

  it.each(NAMES)('serves %s for a year, compressed if the browser accepts it', async (name) => {
    const { statusCode, headers, body } = await file(name, { 'Accept-Encoding': ['gzip'] });
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Encoding': 'gzip',
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
    const bytes = gunzipSync(Buffer.from(body, 'base64'));
    expect(name).toContain(`-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.`);
    const plain = Buffer.from((await file(name)).body, 'base64');
    expect(plain.equals(bytes)).toBe(true);
  });

  it.each(['page', ...NAMES])(
    'sends %s with a policy that allows nothing inline, and no HTML from text',
    async (name) => {
      const { headers } = name === 'page' ? await page() : await file(name);
      const policy = headers['Content-Security-Policy'];
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
    },
  );

  it.each(['console.js', 'index.html', 'constructor', '..%2Fpackage.json'])('has no file %s', async (name) => {
    const answer = await file(name);
    expect(answer.statusCode).toBe(404);
    expect(z.object({ type: z.string() }).parse(readAnswer(answer).json).type).toMatch(/\/route-not-found$/);
  });
});
