import { createServer } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { project } from './responses.ts';
import { portOf } from './server.ts';
import { type Played, playing, problemOf, World } from './world.ts';

it('a creation that was sent has an unknown outcome after the deadline, and is still running', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const played: Played = await playing({
    create: () => {
      played.world.nowMs += 30_000;
      vi.advanceTimersByTime(30_000);
    },
  });
  const { name, occurrence } = await problemOf(played.service.create(project, played.world.call()));
  expect(name).toBe('outcome-unknown');
  expect(occurrence).toMatchObject({ isRunning: true, operationId: expect.any(String) });
});

it.each([
  ['upstream-unavailable', 'nobody listens', 'http', undefined],
  ['upstream-unavailable', 'the server does not speak TLS', 'https', 'HTTP/1.1 400\r\n\r\n'],
  ['outcome-unknown', 'the server hangs up at once', 'http', ''],
  ['outcome-unknown', 'the server answers with something else than HTTP', 'http', 'SSH-2.0-OpenSSH_9.2\r\n'],
  [
    'outcome-unknown',
    'the server switches protocols',
    'http',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
  ],
])('a creation ends as %s if %s', async (type, _, protocol, words) => {
  const server = createServer((socket) => socket.once('data', () => socket.end(words ?? '')));
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const port = portOf(server.address());
  const closed = Promise.withResolvers<void>();
  const close = () => server.close(() => closed.resolve());
  if (words === undefined) {
    close();
    await closed.promise;
  } else onTestFinished(() => void close());
  const world = new World();
  const creation = world.serviceAt(`${protocol}://127.0.0.1:${port}`).create(project, world.call());
  const { name, occurrence } = await problemOf(creation);
  expect(name).toBe(type);
  expect(occurrence).not.toHaveProperty('isRunning');
});
