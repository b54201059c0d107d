import { expect, it } from 'vitest';
import built from '#console' with { type: 'json' };
import { handler } from '../../functions/console.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { startFixture } from './world.ts';

const start = () =>
  startFixture({
    handler: (event, context) => handler(event, contextOf(context.getRemainingTimeInMillis())),
  });

it('serves the page and the files of the console without credentials', async () => {
  const { url, authorized } = await start();
  for (const path of ['/console', ...built.files.map(({ name }) => `/console/${name}`)]) {
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none';");
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
  }
  expect((await fetch(`${url}/console/../package.json`)).status).toBe(404);
  expect(authorized).toEqual([]);
});

it('answers HEAD without a body, and rejects other methods', async () => {
  const { url } = await start();
  const head = await fetch(`${url}/console`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(`${url}/console`, { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
