import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { NoAnswer } from '../../../../lib/service/http-client/exchange.ts';
import { MAX_BODY_BYTES } from '../../../../lib/service/http-client/response-body.ts';
import { httpTransport, keepAliveAgent } from '../../../../lib/service/http-client/transport.ts';
import { json, type Play, playService, portOf, text } from '../../upstream/server.ts';

const DAY_MS = 86_400_000;
const day = { remainingMs: () => DAY_MS };
const get = { method: 'GET', path: '/', headers: {}, deadline: day } as const;
const post = { ...get, method: 'POST', body: '{}' } as const;

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * Listens until the test ends.
 * @returns the port
 */
async function listen(server: Server): Promise<number> {
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(() => void server.close());
  return portOf(server.address());
}

const noAnswerOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof NoAnswer ? { sent: error.sent, code: error.code } : error),
  );

it.each([
  ['a reading', get],
  ['a creation', post],
])('gives up %s without a connection, with nothing sent', async (_, exchange) => {
  fakeTimers();
  const held: Socket[] = [];
  // This server accepts a connection, but never begins with TLS.
  const server = createServer((socket) => {
    held.push(socket);
    socket.on('error', () => {});
    vi.advanceTimersByTime(5_000);
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of held) socket.destroy();
  });
  const transport = httpTransport(new URL(`https://127.0.0.1:${port}`), Date.now);
  expect(await noAnswerOf(transport(exchange))).toEqual({ sent: false, code: 'CONNECT_TIMEOUT' });
});

it.each([
  ['nobody listens', 'http', undefined, false],
  ['the server does not speak TLS', 'https', 'HTTP/1.1 400\r\n\r\n', false],
  ['the server hangs up at once', 'http', '', true],
  ['the server answers with something else than HTTP', 'http', 'SSH-2.0-OpenSSH_9.2\r\n', true],
  ['the server switches protocols', 'http', 'HTTP/1.1 101\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n', true],
])('knows whether it sent a creation if %s', async (_, protocol, words, sent) => {
  const server = createServer((socket) => socket.once('data', () => socket.end(words ?? '')));
  const port = await listen(server);
  if (words === undefined) await new Promise((closed) => server.close(closed));
  const transport = httpTransport(new URL(`${protocol}://127.0.0.1:${port}`), Date.now);
  expect(await noAnswerOf(transport(post))).toMatchObject({ sent });
});

it('waits for a slow answer', async () => {
  fakeTimers();
  const late: Play = (request, response) => {
    vi.advanceTimersByTime(DAY_MS - 1);
    json(200, {})(request, response);
  };
  const { url } = await playService(late);
  expect((await httpTransport(new URL(url), Date.now)(get)).status).toBe(200);
});

it('gives up a body that never ends at the deadline', async () => {
  fakeTimers();
  const { url } = await playService((_, response) => {
    response.writeHead(200);
    const drip = () => {
      if (response.destroyed) return;
      vi.advanceTimersByTime(DAY_MS / 10);
      response.write(' ', () => setImmediate(drip));
    };
    drip();
  });
  expect((await httpTransport(new URL(url), Date.now)(get)).body).toBe('lost');
});

it('gives up headers that never end at the deadline', async () => {
  fakeTimers();
  const { url } = await playService((_, { socket }) => {
    const drip = () => {
      if (socket?.destroyed ?? true) return;
      vi.advanceTimersByTime(DAY_MS / 10);
      socket?.write('a', () => setImmediate(drip));
    };
    socket?.on('error', () => {});
    socket?.write('HTTP/1.1 200 OK\r\nx: ', drip);
  });
  expect(await noAnswerOf(httpTransport(new URL(url), Date.now)(get))).toEqual({ sent: true, code: 'DEADLINE' });
});

it('gives up oversized headers', async () => {
  const { url } = await playService((_, { socket }) => {
    const more = () => void (socket?.destroyed || socket?.write(`x: ${'a'.repeat(8_192)}\r\n`, more));
    socket?.on('error', () => {});
    socket?.write('HTTP/1.1 200 OK\r\n', more);
  });
  expect(await noAnswerOf(httpTransport(new URL(url), Date.now)(get))).toEqual({
    sent: true,
    code: 'HPE_HEADER_OVERFLOW',
  });
});

const endless: Play = (_, answer) => {
  const chunk = Buffer.alloc(8_388_608, ' ');
  const more = () => {
    while (!answer.destroyed && answer.write(chunk));
  };
  answer.on('drain', more);
  more();
};
const bomb = gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1, ' '), { level: 1 });
it.each<[string, Play]>([
  ['a body beyond the limit', endless],
  ['a gzip-encoded body beyond the limit', text(200, bomb, { 'content-encoding': 'gzip' })],
  ['invalid gzip', text(200, 'plain', { 'content-encoding': 'gzip' })],
  ['an unrequested content coding', text(200, '{}', { 'content-encoding': 'br' })],
])('does not read %s', async (_, play) => {
  const { url } = await playService(play);
  expect((await httpTransport(new URL(url), Date.now)(get)).body).toBe('unusable');
});

it('applies the size limit of a request', async () => {
  const { url } = await playService(text(200, '12345678'));
  const transport = httpTransport(new URL(url), Date.now);
  expect((await transport({ ...get, maxBodyBytes: 8 })).body).toEqual(Buffer.from('12345678'));
  expect((await transport({ ...get, maxBodyBytes: 7 })).body).toBe('unusable');
  const { url: gzipped } = await playService(text(200, gzipSync('12345678'), { 'content-encoding': 'gzip' }));
  expect((await httpTransport(new URL(gzipped), Date.now)({ ...get, maxBodyBytes: 7 })).body).toBe('unusable');
});

it('ends a request whose signal aborts, before and after the response begins', async () => {
  const aborting = new AbortController();
  const silent: Play = () => aborting.abort();
  const { url } = await playService(silent);
  const transport = httpTransport(new URL(url), Date.now);
  expect(await noAnswerOf(transport({ ...post, signal: aborting.signal }))).toEqual({ sent: true, code: 'ABORT_ERR' });
  expect(await noAnswerOf(transport({ ...post, signal: aborting.signal }))).toEqual({ sent: false, code: 'ABORT_ERR' });
  const late = new AbortController();
  const halfway: Play = (_, response) => {
    response.writeHead(200).write('{');
    setImmediate(() => late.abort());
  };
  const half = await playService(halfway);
  const outcome = await httpTransport(
    new URL(half.url),
    Date.now,
  )({ ...get, signal: late.signal }).then(
    ({ body }) => body,
    (error: unknown) => (error instanceof NoAnswer ? 'lost' : error),
  );
  expect(outcome).toBe('lost');
});

it('opens a new connection for a read that must prove an absence', async () => {
  const { url, connections } = await playService(json(200, {}));
  const transport = httpTransport(new URL(url), Date.now);
  await transport(get);
  await transport(get);
  expect(connections()).toBe(1);
  await transport({ ...get, needsNewConnection: true });
  expect(connections()).toBe(2);
  await transport(get);
  expect(connections()).toBe(2);
});

it.each([true, false])('replaces the connections of an agent after a long pause (TLS: %s)', (isSecure) => {
  let nowMs = 0;
  const agent = keepAliveAgent(isSecure, 1_000, () => nowMs);
  const first = agent();
  for (let uses = 0; uses < 5; uses++) {
    nowMs += 1_000;
    expect(agent()).toBe(first);
  }
  nowMs += 1_001;
  const second = agent();
  expect(second).not.toBe(first);
  expect(agent()).toBe(second);
  nowMs -= 3_600_000;
  const third = agent();
  expect(third).not.toBe(second);
  expect(agent()).toBe(third);
});
