import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EVENTUALLY } from '../support/eventually.ts';
import { open, readAll, statusOf } from '../support/raw-http.ts';
import { AUTHORIZATION, startFixture } from './world.ts';

const CREATE = '/segments/projects';
const head = (method: string, path: string, lines = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n${lines}\r\n`;
/** The beginning of a body that may become as large as bodies may be, and never ends. */
const ENDLESS = `${head('POST', CREATE, 'Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n`;

async function say(port: number, text: string): Promise<Socket> {
  const socket = await open(port);
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  return socket;
}

const sayAll = (port: number, count: number, text: string) =>
  Promise.all(Array.from({ length: count }, () => say(port, text)));

function create(url: string, bytes: number): Promise<Response> {
  return fetch(url + CREATE, { method: 'POST', headers: AUTHORIZATION, body: Buffer.alloc(bytes, 'x') });
}

it('bodies that never end hold up no small request', async () => {
  const { port, url } = await startFixture();
  await sayAll(port, 30, ENDLESS);
  expect((await create(url, 1_000)).status).toBe(200);
  expect((await fetch(`${url}/segments/projects/1`, { headers: AUTHORIZATION })).status).toBe(200);
});

/** The longest timer of Node. */
const FOR_EVER_MS = 2 ** 31 - 1;
const FOR_EVER = { slowMs: FOR_EVER_MS, waitMs: FOR_EVER_MS };
/** Beginnings of anonymous bodies that never end. */
const ANONYMOUS = [
  'POST /segments/projects',
  'POST /authentication/token',
  'POST /authentication/RefreshToken',
  'POST /webhooks/shop',
].map((start) => `${start} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);

it('anonymous bodies that never end hold up no body of a company', async () => {
  const { port, url, calls } = await startFixture({
    memory: FOR_EVER,
  });
  for (const beginning of ANONYMOUS) await sayAll(port, 5, beginning);
  // As many as would fill the room of companies.
  await sayAll(port, 70, ANONYMOUS.at(-1) ?? '');
  expect((await create(url, 4_000_000)).status).toBe(200);
  expect(calls.map(({ operation }) => operation)).toEqual(['createProject']);
});

it.each([
  ['body', ANONYMOUS[1] ?? ''],
  ['body that no operation reads', 'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'],
  ['connection without a request', ''],
  ['beginning of a request', 'GET /health HTTP/1.1\r\nHost:'],
])('an anonymous %s gives way if there are no more connections', async (_, beginning) => {
  const { port, url } = await startFixture({ memory: FOR_EVER });
  const [oldest, ...slow] = await sayAll(port, 512, beginning);
  const ended = oldest && once(oldest.on('error', () => {}).resume(), 'close');
  for (const socket of slow) socket.on('error', () => {});
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  await ended;
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

const unfinished = (start: string, bytes: number) =>
  `${start} HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n${' '.repeat(bytes)}`;

it.each([
  ['after wrong credentials', 401, unfinished('POST /segments/projects', 5)],
  ['after a wrong method', 405, unfinished('PUT /health', 5)],
  ['after a body that is too large', 413, unfinished('POST /authentication/token', 9_000)],
  ['before any answer', 400, unfinished('POST /authentication/token', 5)],
])('connections closed in the middle of a body leave no trace: %s', async (_, status, beginning) => {
  const { port, url } = await startFixture({
    memory: FOR_EVER,
    handler: async () => ({ statusCode: 413, body: '{}' }),
  });
  for (let count = 0; count < 20; count++) {
    const socket = await say(port, beginning);
    const answer = readAll(socket);
    if (status !== 400) await once(socket, 'data');
    socket.end();
    expect(statusOf(await answer)).toBe(status);
  }
  const [oldest, ...slow] = await sayAll(port, 512, ANONYMOUS.at(-1) ?? '');
  const ended = oldest && once(oldest.on('error', () => {}).resume(), 'close');
  for (const socket of slow) socket.on('error', () => {});
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  await ended;
});

it('pages that nobody takes hold up no call of a company', async () => {
  const body = Buffer.alloc(4_500_000, 'x').toString('base64');
  const { port, url } = await startFixture({
    memory: FOR_EVER,
    handler: async ({ path }) =>
      path.startsWith('/segments') ? { statusCode: 200, body: '' } : { statusCode: 200, body, isBase64Encoded: true },
  });
  const unread = await sayAll(port, 30, 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n');
  for (const socket of unread) socket.on('error', () => {}).pause();
  expect((await create(url, 1_000)).status).toBe(200);
});

it('anonymous calls that never end hold up no call of a company, and gzip is as small as it may become', async () => {
  const leave = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  let inside = 0;
  const { url } = await startFixture({
    memory: FOR_EVER,
    async handler({ path }) {
      if (path.startsWith('/segments')) return { statusCode: 200, body: '' };
      if (++inside === 10) entered.resolve();
      await leave.promise;
      return { statusCode: 200, body: '' };
    },
  });
  const body = gzipSync(randomBytes(5_000));
  const signIn = () => fetch(`${url}/authentication/token`, { method: 'POST', body });
  const anonymous = Array.from({ length: 60 }, signIn);
  await entered.promise;
  expect((await create(url, 1_000)).status).toBe(200);
  expect((await create(url, 4_000_000)).status).toBe(200);
  leave.resolve();
  expect(new Set((await Promise.all(anonymous)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('bodies that never end give way to one that does, and are told that they are too slow', async () => {
  const { port, url, calls } = await startFixture({ memory: { slowMs: 20 } });
  const slow = await sayAll(port, 10, ENDLESS);
  const first = readAll(slow[0] ?? (await open(port)));
  const body = await create(url, 4_000_000);
  expect(body.status).toBe(200);
  expect(calls).toHaveLength(1);
  const answer = await first;
  expect(statusOf(answer)).toBe(400);
  expect(answer).toContain('too slow');
});

it('a body for which there is no room for too long is refused before it is read', async () => {
  const { port, url, calls } = await startFixture({ memory: { waitMs: 1 } });
  await sayAll(port, 10, ENDLESS);
  const answer = await create(url, 4_000_000);
  expect(answer.status).toBe(429);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await answer.json()).toMatchObject({ retryable: true, outcome: 'not-applied' });
  expect(calls).toEqual([]);
});

it('answers that nobody takes give way to those that somebody does', async () => {
  const body = Buffer.alloc(4_500_000, 'x').toString('base64');
  const { port, url } = await startFixture({
    memory: { slowMs: 20 },
    handler: async () => ({ statusCode: 200, body, isBase64Encoded: true }),
  });
  const unread = await sayAll(port, 30, head('GET', '/segments/projects/1'));
  for (const socket of unread) socket.on('error', () => {}).pause();
  const answer = await fetch(`${url}/segments/projects/1`, { headers: AUTHORIZATION });
  expect((await answer.arrayBuffer()).byteLength).toBe(4_500_000);
  expect((await create(url, 1_000)).status).toBe(200);
});

it.each([
  ['a project that was created', 'createProject'],
  ['a project that was read', 'getProject'],
])('reads of %s do not wait for the memory of unknown ones', async (_, first) => {
  const leave = Promise.withResolvers<void>();
  let reading = 0;
  const { url } = await startFixture({
    memory: FOR_EVER,
    async handler({ httpMethod, path }) {
      if (httpMethod === 'POST') return { statusCode: 201, headers: { Location: `${url}${CREATE}/1` }, body: '{}' };
      if (path !== '/health' && (++reading > 1 || first === 'createProject')) await leave.promise;
      return { statusCode: 200, body: path };
    },
  });
  const read = (id: number) => fetch(`${url}${CREATE}/${id}`, { headers: AUTHORIZATION });
  await (first === 'createProject' ? create(url, 1_000) : read(1));
  reading = 1;
  const known = Array.from({ length: 40 }, () => read(1));
  await vi.waitFor(() => expect(reading).toBe(41), EVENTUALLY);
  const unknown = Array.from({ length: 40 }, (_, n) => read(n + 2));
  await fetch(`${url}/health`);
  expect(reading).toBeLessThan(41 + 12);
  leave.resolve();
  for (const response of await Promise.all([...known, ...unknown])) expect(response.status).toBe(200);
});

it('large calls are made one after another, and small ones beside them', async () => {
  const leave = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  let inside = 0;
  let most = 0;
  const { url } = await startFixture({
    async handler({ body }) {
      if ((body?.length ?? 0) < 1_000_000) return { statusCode: 200, body: '' };
      most = Math.max(most, ++inside);
      entered.resolve();
      await leave.promise;
      inside--;
      return { statusCode: 200, body: '' };
    },
  });
  const large = Array.from({ length: 5 }, () => create(url, 4_000_000));
  await entered.promise;
  expect((await create(url, 1_000)).status).toBe(200);
  leave.resolve();
  expect((await Promise.all(large)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(most).toBe(1);
});

it('who asks more and more without waiting for an answer is hung up on', async () => {
  const leave = Promise.withResolvers<void>();
  const { gateway, port, calls } = await startFixture({
    async handler() {
      await leave.promise;
      return { statusCode: 200, body: '' };
    },
  });
  const socket = await open(port);
  socket.on('error', () => {}).resume();
  socket.write(head('GET', '/health').repeat(1_000));
  await once(socket, 'close');
  expect(calls.length).toBeLessThanOrEqual(8);
  leave.resolve();
  await gateway.close();
});
