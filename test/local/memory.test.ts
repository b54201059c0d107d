import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EVENTUALLY } from '../support/eventually.ts';
import { open, readAll, statusOf } from '../support/raw-http.ts';
import { ALLOWED, AUTHORIZATION, gate, head, startFixture } from './world.ts';

const PROJECTS = '/segments/projects';
/** The beginning of a large body that never ends. */
const ENDLESS = `${head('POST', PROJECTS, 'Transfer-Encoding: chunked\r\n')}5\r\nhello\r\n`;

/** Opens connections that each send a text. */
function sendAll(port: number, count: number, text: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, async () => {
    const socket = await open(port);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).write(text);
    return socket;
  });
  return Promise.all(sockets);
}

function create(url: string, bytes: number): Promise<Response> {
  return fetch(url + PROJECTS, { method: 'POST', headers: AUTHORIZATION, body: Buffer.alloc(bytes, 'x') });
}

/** The longest timer of Node. */
const FOR_EVER_MS = 2 ** 31 - 1;
const FOR_EVER = { slowMs: FOR_EVER_MS, waitMs: FOR_EVER_MS };
/** Beginnings of anonymous bodies that never end. */
const ANONYMOUS = [PROJECTS, '/authentication/token', '/authentication/RefreshToken', '/webhooks/shop'].map(
  (path) => `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
);

it('reads large bodies of a company beside anonymous bodies that never end', async () => {
  const { port, url, calls } = await startFixture({ memory: FOR_EVER });
  for (const beginning of ANONYMOUS) await sendAll(port, 5, beginning);
  // As many as would fill the memory of companies.
  await sendAll(port, 70, ANONYMOUS.at(-1) ?? '');
  expect((await create(url, 4_000_000)).status).toBe(200);
  expect(calls.map(({ operation }) => operation)).toEqual(['createProject']);
});

/** Opens the largest number of anonymous connections. Each further client closes the oldest one. */
async function expectRoomBehind(port: number, url: string, beginning: string): Promise<void> {
  const [oldest] = await sendAll(port, 512, beginning);
  const ended = oldest && once(oldest.resume(), 'close');
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  await ended;
  expect((await fetch(`${url}/health`)).status).toBe(200);
}

it.each([
  ['body', ANONYMOUS[1] ?? ''],
  ['body that no operation reads', 'GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n'],
  ['connection without a request', ''],
])('drops the oldest anonymous %s if there are too many connections', async (_, beginning) => {
  const { port, url } = await startFixture({ memory: FOR_EVER });
  await expectRoomBehind(port, url, beginning);
});

const unfinished = (start: string, bytes: number) =>
  `${start} HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n${' '.repeat(bytes)}`;

it('forgets connections that were closed in the middle of a body', async () => {
  const { port, url } = await startFixture({
    memory: FOR_EVER,
    handler: async ({ path }) => ({ statusCode: path === '/health' ? 200 : 413, body: '{}' }),
  });
  for (const [status, beginning] of [
    [401, unfinished('POST /segments/projects', 5)],
    [405, unfinished('PUT /health', 5)],
    [413, unfinished('POST /authentication/token', 9_000)],
    [400, unfinished('POST /authentication/token', 5)],
  ] as const) {
    for (let count = 0; count < 5; count++) {
      const socket = await open(port);
      socket.write(beginning);
      const answer = readAll(socket);
      // 400 is the answer to a body that breaks off.
      if (status !== 400) await once(socket, 'data');
      socket.end();
      expect(statusOf(await answer)).toBe(status);
    }
  }
  await expectRoomBehind(port, url, ANONYMOUS.at(-1) ?? '');
});

it('serves companies beside anonymous calls that never end, and counts gzip as it may be unpacked', async () => {
  const { leave, pass } = gate();
  const ten = Promise.withResolvers<void>();
  let inside = 0;
  const { url } = await startFixture({
    memory: FOR_EVER,
    async handler({ path }) {
      if (path.startsWith('/segments')) return { statusCode: 200, body: '' };
      if (++inside === 10) ten.resolve();
      await pass();
      return { statusCode: 200, body: '' };
    },
  });
  const body = gzipSync(randomBytes(5_000));
  const anonymous = Array.from({ length: 60 }, () => fetch(`${url}/authentication/token`, { method: 'POST', body }));
  await ten.promise;
  expect((await create(url, 1_000)).status).toBe(200);
  expect((await create(url, 4_000_000)).status).toBe(200);
  leave();
  expect(new Set((await Promise.all(anonymous)).map(({ status }) => status))).toEqual(new Set([200]));
});

it('ends bodies that are too slow while another body waits', async () => {
  const { port, url, calls } = await startFixture({ memory: { slowMs: 20 } });
  const [first = await open(port)] = await sendAll(port, 10, ENDLESS);
  const ended = once(first.resume(), 'close');
  expect((await create(url, 4_000_000)).status).toBe(200);
  expect(calls).toHaveLength(1);
  await ended;
});

it.each([
  ['bodies without a length', ENDLESS],
  ['gzip, which may become long', head('POST', PROJECTS, 'Content-Encoding: gzip\r\nContent-Length: 300000\r\n')],
])('refuses a body that waits too long for memory behind %s, before it is read', async (_, beginning) => {
  const { port, url, calls } = await startFixture({ memory: { waitMs: 1 } });
  await sendAll(port, 10, beginning);
  const response = await create(url, 4_000_000);
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toMatchObject({ retryable: true, outcome: 'not-applied' });
  expect(calls).toEqual([]);
});

it.each(['created', 'read'])(
  'lets reads of a project that was %s before overtake reads of unknown ones',
  async (how) => {
    const { leave, pass } = gate();
    let reading = 0;
    const { url } = await startFixture({
      memory: FOR_EVER,
      async handler({ httpMethod, path }) {
        if (httpMethod === 'POST') return { statusCode: 201, headers: { Location: `${url}${PROJECTS}/1` }, body: '{}' };
        if (path !== '/health' && (++reading > 1 || how === 'created')) await pass();
        return { statusCode: 200, body: path };
      },
    });
    const read = (id: number) => fetch(`${url}${PROJECTS}/${id}`, { headers: AUTHORIZATION });
    await (how === 'created' ? create(url, 1_000) : read(1));
    reading = 1;
    const known = Array.from({ length: 40 }, () => read(1));
    await vi.waitFor(() => expect(reading).toBe(41), EVENTUALLY);
    const unknown = Array.from({ length: 40 }, (_, n) => read(n + 2));
    await fetch(`${url}/health`);
    expect(reading).toBeLessThan(41 + 10);
    leave();
    for (const response of await Promise.all([...known, ...unknown])) expect(response.status).toBe(200);
  },
);

it('reads of a project count as unknown again after a put, which may have made it longer', async () => {
  const { leave, pass } = gate();
  let reading = 0;
  const { url } = await startFixture({
    memory: FOR_EVER,
    async handler({ httpMethod, path }) {
      if (httpMethod === 'POST') return { statusCode: 201, headers: { Location: `${url}${PROJECTS}/1` }, body: '{}' };
      if (httpMethod === 'GET' && path !== '/health' && ++reading > 0) await pass();
      return { statusCode: 200, body: '{}' };
    },
  });
  await create(url, 1_000);
  const custom = `${url}${PROJECTS}/custom/x`;
  expect((await fetch(custom, { method: 'PUT', headers: AUTHORIZATION, body: '{}' })).status).toBe(200);
  const reads = Array.from({ length: 40 }, () => fetch(`${url}${PROJECTS}/1`, { headers: AUTHORIZATION }));
  await vi.waitFor(() => expect(reading).toBeGreaterThan(0), EVENTUALLY);
  await fetch(`${url}/health`);
  expect(reading).toBeLessThan(10);
  leave();
  for (const response of await Promise.all(reads)) expect(response.status).toBe(200);
});

const LARGE: readonly [string, most: number, send: (url: string) => Promise<Response>][] = [
  ['creates of 4 MB', 1, (url) => create(url, 4_000_000)],
  ['reads of a task', 1, (url) => fetch(`${url}${PROJECTS}/1?taskId=a`, { headers: AUTHORIZATION })],
  [
    'deletions of a task',
    1,
    (url) => fetch(`${url}${PROJECTS}/1?taskId=a`, { method: 'DELETE', headers: AUTHORIZATION }),
  ],
  ['puts', 1, (url) => fetch(`${url}${PROJECTS}/1`, { method: 'PUT', headers: AUTHORIZATION, body: '{}' })],
  ['whole lists', 1, (url) => fetch(url + PROJECTS, { headers: AUTHORIZATION })],
  ['segments without a limit', 1, (url) => fetch(`${url}${PROJECTS}/1/segments`, { headers: AUTHORIZATION })],
];

it.each(LARGE)('runs few large calls at once, and small ones beside them: %s', async (_, expected, send) => {
  const { leave, pass } = gate();
  let inside = 0;
  let most = 0;
  const { url } = await startFixture({
    async handler({ httpMethod, body }) {
      if (httpMethod === 'POST' && (body?.length ?? 0) < 1_000_000) return { statusCode: 200 };
      most = Math.max(most, ++inside);
      await pass();
      inside--;
      return { statusCode: 200 };
    },
  });
  const large = Array.from({ length: 5 }, () => send(url));
  await vi.waitFor(() => expect(inside).toBe(expected), EVENTUALLY);
  expect((await create(url, 1_000)).status).toBe(200);
  leave();
  expect((await Promise.all(large)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(most).toBe(expected);
});

it('lets a company read, create and delete beside the reads, bodies and deletions of another that never end', async () => {
  const { leave, pass } = gate();
  const { port, url, calls } = await startFixture({
    memory: FOR_EVER,
    async authorizer({ headers }) {
      const companyId = headers?.['Authorization'] === 'Basic eDp5' ? 'small' : 'large';
      return { ...ALLOWED, principalId: companyId, context: { ...ALLOWED.context, companyId } };
    },
    async handler({ requestContext }) {
      if (requestContext.authorizer?.['companyId'] === 'large') await pass();
      return { statusCode: 200 };
    },
  });
  const project = `${url}${PROJECTS}/1`;
  const taskOf = (method: string) => fetch(`${project}?taskId=a`, { method, headers: AUTHORIZATION });
  const large = Array.from({ length: 50 }, (_, n) => [
    taskOf('DELETE'),
    taskOf('GET'),
    fetch(`${url}${PROJECTS}/${n}`, { headers: AUTHORIZATION }),
  ]);
  await sendAll(port, 20, ENDLESS);
  await vi.waitFor(() => expect(calls.length).toBeGreaterThan(5), EVENTUALLY);
  const headers = { Authorization: 'Basic eDp5' };
  for (const [path, init] of [
    [project, {}],
    [`${project}?taskId=a`, {}],
    [`${project}?taskId=a`, { method: 'DELETE' }],
    [url + PROJECTS, { method: 'POST', body: Buffer.alloc(1_000_000, 'x') }],
  ] as const) {
    expect((await fetch(path, { ...init, headers })).status).toBe(200);
  }
  leave();
  for (const response of await Promise.all(large.flat())) expect(response.status).toBe(200);
});
