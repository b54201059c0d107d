import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { httpTransport, NoAnswer } from '../../../../lib/service/http-client/transport.ts';
import { json, type Play, playService, portOf } from '../../upstream/server.ts';

const DAY_MS = 86_400_000;
const day = { remainingMs: () => DAY_MS };
const get = { method: 'GET', path: '/', headers: {}, deadline: day } as const;
const post = { ...get, method: 'POST', body: '{}' } as const;

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

const noAnswerOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof NoAnswer ? { sent: error.sent, code: error.code } : error),
  );

it.each([
  ['a reading', get],
  ['a creation', post],
])('%s is given up where a connection does not come about, with nothing sent', async (_, exchange) => {
  fakeTimers();
  const held: Socket[] = [];
  // It accepts, and never begins with TLS.
  const server = createServer((socket) => {
    held.push(socket);
    socket.on('error', () => {});
    vi.advanceTimersByTime(5_000);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(() => {
    for (const socket of held) socket.destroy();
    server.close();
  });
  const transport = httpTransport(new URL(`https://127.0.0.1:${portOf(server.address())}`), Date.now);
  expect(await noAnswerOf(transport(exchange))).toEqual({ sent: false, code: 'CONNECT_TIMEOUT' });
});

it('a service that takes its time once connected is waited for', async () => {
  fakeTimers();
  const late: Play = (request, response) => {
    vi.advanceTimersByTime(DAY_MS - 1);
    json(200, {})(request, response);
  };
  const { url } = await playService(late);
  expect((await httpTransport(new URL(url), Date.now)(get)).status).toBe(200);
});

it('an answer that drips for ever is given up when the time is over', async () => {
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

it('headers that drip for ever are given up when the time is over', async () => {
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

it('endless headers are given up', async () => {
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

it('what is to prove something has a connection of its own, on which no answer to another request can be left', async () => {
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
