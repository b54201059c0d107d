import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { serveConsole } from '../../local/console.ts';
import { startFixture } from './world.ts';

const FOLDER = new URL('../../dist/console/', import.meta.url);
const FILES = ['/console', '/console/console.js', '/console/console.css'];

const start = () => startFixture({ files: serveConsole(FOLDER) });

it('has at most 150 KB with gzip', () => {
  const sizes = readdirSync(FOLDER).map((name) => gzipSync(readFileSync(new URL(name, FOLDER))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150_000);
});

it.each(FILES)('%s has a policy that allows no inline script or style, and no HTML from text', async (path) => {
  const { url, calls } = await start();
  const response = await fetch(url + path);
  expect(response.status).toBe(200);
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toContain('unsafe');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
  expect(calls).toEqual([]);
});

it('sends a file again only if it has changed', async () => {
  const { url } = await start();
  const { headers } = await fetch(`${url}/console`);
  const again = await fetch(`${url}/console`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
});

it('answers HEAD without a body, and rejects other methods', async () => {
  const { url } = await start();
  const head = await fetch(`${url}/console`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(`${url}/console`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it.each(['/console/', '/console/index.html', '/console/../package.json', '/console/constructor'])(
  'has no file %s',
  async (path) => {
    const { url } = await start();
    expect((await fetch(url + path)).status).toBe(404);
  },
);
