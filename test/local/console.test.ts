import { expect, it } from 'vitest';
import built from '#console' with { type: 'json' };
import { handler } from '../../functions/console.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { startFixture } from './world.ts';

const FILES = ['/console', ...built.files.map(({ name }) => `/console/${name}`)];

const start = () =>
  startFixture({
    handler: (event, context) => handler(event, contextOf(context.getRemainingTimeInMillis())),
  });

it('has at most 150 KB with gzip', () => {
  const sizes = built.files.map(({ gzip }) => Buffer.from(gzip, 'base64').length);
  expect(sizes.reduce((sum, size) => sum + size, built.html.length)).toBeLessThanOrEqual(150_000);
});

it.each(FILES)('%s has a policy that allows no inline script or style, and no HTML from text', async (path) => {
  const { url, authorized } = await start();
  const response = await fetch(url + path);
  expect(response.status).toBe(200);
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toContain('unsafe');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
  expect(authorized).toEqual([]);
});

it('has a page that is asked for each time, and files that caches may keep', async () => {
  const { url } = await start();
  const caching = FILES.map(async (path) => (await fetch(url + path)).headers.get('cache-control'));
  const [page, ...files] = await Promise.all(caching);
  expect(page).toBe('no-cache');
  for (const file of files) expect(file).toContain('immutable');
});

it('answers HEAD without a body, and rejects other methods', async () => {
  const { url } = await start();
  const head = await fetch(`${url}/console`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(`${url}/console`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it.each(['/console/index.html', '/console/../package.json', '/console/constructor'])('has no file %s', async (path) => {
  const { url } = await start();
  expect((await fetch(url + path)).status).toBe(404);
});
