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

describe('the console', () => {
  it('has at most 150 KB with gzip', () => {
    const sizes = built.files.map(({ gzip }) => Buffer.from(gzip, 'base64').length);
    expect(sizes.reduce((sum, size) => sum + size, built.html.length)).toBeLessThanOrEqual(150_000);
  });

  it('loads its script and its style by names that change with their content', async () => {
    const answer = await page();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' });
    const { text } = readAnswer(answer);
    const loaded = Array.from(text.matchAll(/(?:src|href)="console\/([^"]+)"/g), ([, name]) => name);
    expect(loaded.sort()).toEqual([...NAMES].sort());
    expect(text).not.toMatch(/<style|style=|<script(?! src=)/);
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
