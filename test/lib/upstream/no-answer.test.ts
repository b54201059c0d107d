import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Call } from '../../../lib/service/port.ts';
import { project } from './responses.ts';
import { type Play, portOf } from './server.ts';
import { owning, type Played, playing, problemOf, World } from './world.ts';

const create = ({ world, service }: Pick<Played, 'world' | 'service'>) => service.create(project, world.call());
const createAt = (url: string) => {
  const world = new World();
  return create({ world, service: world.serviceAt(url) });
};

describe('the deadline', () => {
  /** Lets the time of a request run out when the service has it. */
  function runOutOfTime(world: () => World): Play {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    return () => {
      world().nowMs += 30_000;
      vi.advanceTimersByTime(30_000);
    };
  }

  it('ends a sent creation with an unknown outcome that is still running', async () => {
    const played: Played = await playing({ create: runOutOfTime(() => played.world) });
    const { name, occurrence } = await problemOf(create(played));
    expect(name).toBe('outcome-unknown');
    expect(occurrence).toMatchObject({ isRunning: true, operationId: expect.any(String) });
  });

  it('ends a read with upstream-unavailable', async () => {
    const played: Played = await owning(project, { read: runOutOfTime(() => played.world) });
    const reading = played.service.get({ id: 1_000 }, undefined, played.world.call());
    expect((await problemOf(reading)).name).toBe('upstream-unavailable');
  });

  it('includes the response body', async () => {
    const timeOut = runOutOfTime(() => played.world);
    const played: Played = await owning(project, {
      read: (request, response) => {
        response.writeHead(200).write('{', () => timeOut(request, response));
      },
    });
    const reading = played.service.get({ id: 1_000 }, undefined, played.world.call());
    expect((await problemOf(reading)).name).toBe('upstream-unavailable');
  });

  it('sends nothing if it is over', async () => {
    const { world, service, received } = await playing();
    const late: Call = world.call({ deadline: { remainingMs: () => 0 } });
    expect((await problemOf(service.create(project, late))).name).toBe('upstream-unavailable');
    expect(received).toHaveLength(0);
  });
});

describe('a request that was not sent', () => {
  it('is unavailable if nobody listens', async () => {
    const server = await listen(createServer());
    const url = `http://127.0.0.1:${portOf(server.address())}`;
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    await closed.promise;
    expect((await problemOf(createAt(url))).name).toBe('upstream-unavailable');
  });

  it('is unavailable if the server does not speak TLS', async () => {
    const server = await listen(
      createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400\r\n\r\n'))),
    );
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${portOf(server.address())}`;
    expect((await problemOf(createAt(url))).name).toBe('upstream-unavailable');
  });
});

it.each([
  ['hangs up at once', ''],
  ['answers with something else than HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'],
])('a creation has an unknown outcome if the server %s', async (_, words) => {
  const server = await listen(createServer((socket) => socket.once('data', () => socket.end(words))));
  onTestFinished(() => void server.close());
  const { name, occurrence } = await problemOf(createAt(`http://127.0.0.1:${portOf(server.address())}`));
  expect(name).toBe('outcome-unknown');
  expect(occurrence).not.toHaveProperty('isRunning');
});

async function listen(server: Server): Promise<Server> {
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  return server;
}
