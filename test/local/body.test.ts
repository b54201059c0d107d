import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { GATEWAY_LIMITS, LIMITS } from '../../lib/contract/limits.ts';
import { bodyOf, exchange, open, readAll, statusOf } from '../support/raw-http.ts';
import { AUTHORIZATION, type Call, policy, startFixture } from './world.ts';

const CREATE = '/segments/projects';

function bytesOf({ event }: Call): Buffer {
  expect(event.isBase64Encoded).toBe(true);
  return Buffer.from(event.body ?? '', 'base64');
}

function post(url: string, body: Uint8Array | ReadableStream, headers: Record<string, string> = {}) {
  return fetch(url + CREATE, { method: 'POST', headers: { ...AUTHORIZATION, ...headers }, body, duplex: 'half' });
}

it('any bytes arrive as they are', async () => {
  const { url, only } = await startFixture();
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256));
  await post(url, bytes);
  expect(bytesOf(only()).equals(bytes)).toBe(true);
});

it('a chunked body arrives whole, an empty one is none', async () => {
  const { url, port, calls } = await startFixture();
  await post(url, new Blob(['ab', 'cd']).stream());
  const head = `POST ${CREATE} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nConnection: close\r\n`;
  await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
  await exchange(port, `${head}Content-Length: 0\r\n\r\n`);
  expect(calls.map(({ event }) => event.body)).toEqual([Buffer.from('abcd').toString('base64'), null, null]);
});

it.each(['gzip', 'x-gzip', 'GZIP'])('%s is unpacked and its header left', async (coding) => {
  const { url, only } = await startFixture();
  await post(url, gzipSync('{"name":"x"}'), { 'Content-Encoding': coding });
  expect(bytesOf(only()).toString()).toBe('{"name":"x"}');
  expect(only().event.headers['content-encoding'] ?? only().event.headers['Content-Encoding']).toBe(coding);
});

it('without the header gzip stays gzip', async () => {
  const { url, only } = await startFixture();
  const packed = gzipSync('{}');
  await post(url, packed);
  expect(bytesOf(only()).equals(packed)).toBe(true);
});

it('a broken gzip stream is left for the function to judge', async () => {
  const { url, only } = await startFixture();
  const broken = gzipSync('{"name":"x"}').subarray(0, 20);
  await post(url, broken, { 'Content-Encoding': 'gzip' });
  expect(bytesOf(only()).equals(broken)).toBe(true);
});

it.each([
  ['br', '{}'],
  ['deflate', '{}'],
  ['gzip, gzip', '{}'],
  ['gzip', '{"not":"gzip"}'],
])('the coding "%s" of %s is refused', async (coding, body) => {
  const { url, calls } = await startFixture();
  const answer = await post(url, Buffer.from(body), { 'Content-Encoding': coding });
  expect(answer.status).toBe(415);
  expect(await answer.json()).toMatchObject({ status: 415, retryable: false });
  expect(calls).toEqual([]);
});

it('gzip that unpacks to more than 10 MB is refused', async () => {
  const { url, calls } = await startFixture();
  const bomb = gzipSync(Buffer.alloc(GATEWAY_LIMITS.requestBytes + 1));
  expect((await post(url, bomb, { 'Content-Encoding': 'gzip' })).status).toBe(413);
  expect(calls).toEqual([]);
});

/** A body, and headers beside it, that make an event of so many bytes. */
async function eventOf(bytes: number): Promise<[body: Buffer, headers: Record<string, string>]> {
  const padding = (pads: number, letters: number) => ({ 'X-Pad': 'x'.repeat(pads), 'User-Agent': 'x'.repeat(letters) });
  const { url, only } = await startFixture();
  await post(url, Buffer.alloc(3_000_000, 'x'), padding(1, 1));
  const room = bytes - Buffer.byteLength(JSON.stringify({ ...only().event, body: '' }));
  // Three bytes are four characters of base64; what is left over is made of letters that stand in it twice or thrice.
  const encoded = Math.floor((room - 5) / 4) * 4;
  const thrice = (room - encoded) % 2;
  const twice = (room - encoded - 3 * thrice) / 2;
  return [Buffer.alloc((encoded / 4) * 3, 'x'), padding(1 + twice, 1 + thrice)];
}

it.each([
  [GATEWAY_LIMITS.eventBytes - 1, 200],
  [GATEWAY_LIMITS.eventBytes, 200],
  [GATEWAY_LIMITS.eventBytes + 1, 413],
])('an event of %i bytes: %i', async (bytes, status) => {
  const { url, calls } = await startFixture();
  const answer = await post(url, ...(await eventOf(bytes)));
  expect(answer.status).toBe(status);
  expect(calls.map(({ event }) => Buffer.byteLength(JSON.stringify(event)))).toEqual(status === 200 ? [bytes] : []);
  if (status === 413) expect(await answer.json()).toMatchObject({ outcome: 'not-applied' });
});

it('a body over 10 MB is refused by its announced length, before it is sent', async () => {
  const { port, calls } = await startFixture();
  const socket = await open(port);
  socket.write(
    `POST ${CREATE} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nExpect: 100-continue\r\nConnection: close\r\n` +
      `Content-Length: ${GATEWAY_LIMITS.requestBytes + 1}\r\n\r\n`,
  );
  const answer = await readAll(socket);
  expect(statusOf(answer.replace('HTTP/1.1 100 Continue\r\n\r\n', ''))).toBe(413);
  expect(calls).toEqual([]);
});

it('a body over 10 MB without a length is refused while it comes in', async () => {
  const { url, calls } = await startFixture();
  const chunk = new Uint8Array(1_048_576);
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  expect((await post(url, endless)).status).toBe(413);
  expect(calls).toEqual([]);
});

it('a client that waits is told to continue only when its credentials are good', async () => {
  const { port } = await startFixture();
  const expecting = (authorization: string) =>
    `POST ${CREATE} HTTP/1.1\r\nHost: a\r\n${authorization}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
  const answer = await exchange(port, expecting(''));
  expect(statusOf(answer)).toBe(401);
  expect(answer).toMatch(/^connection: close\r$/im);
  expect(bodyOf(answer)).toContain('unauthenticated');

  const socket = await open(port);
  socket.write(expecting('Authorization: x\r\nConnection: close\r\n'));
  socket.once('data', () => socket.write('{}'));
  expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

it('a client that waits behind another request is told to continue when it is its turn', async () => {
  const { port } = await startFixture({ handler: async ({ httpMethod }) => ({ statusCode: 200, body: httpMethod }) });
  const socket = await open(port);
  const everything = readAll(socket);
  const head = (method: string, more: string) =>
    `${method} ${CREATE} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n${more}\r\n`;
  socket.write(head('GET', '') + head('POST', 'Expect: 100-continue\r\nContent-Length: 2\r\n'));
  socket.on('data', (chunk: Buffer) => chunk.includes('100 Continue') && socket.end('{}'));
  const answers = (await everything).split('HTTP/1.1 ').slice(1);
  expect(answers.map((answer) => answer.slice(0, answer.indexOf('\r')))).toEqual(['200 OK', '100 Continue', '200 OK']);
  expect([answers.at(0), answers.at(-1)].map((answer = '') => bodyOf(answer))).toEqual(['GET', 'POST']);
});

it('credentials that were revoked while the body came are no good for its request', async () => {
  let nowMs = 0;
  let asked = 0;
  const { port, calls } = await startFixture({
    now: () => nowMs,
    async authorizer() {
      if (++asked > 1) throw new Error('Unauthorized');
      return policy('Allow', '*');
    },
  });
  const socket = await open(port);
  const headers = 'Host: a\r\nAuthorization: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2';
  socket.write(`POST ${CREATE} HTTP/1.1\r\n${headers}\r\n\r\n`);
  // Whoever is told to continue was let in.
  await once(socket, 'data');
  nowMs += 30_001;
  socket.write('{}');
  expect(statusOf(await readAll(socket))).toBe(401);
  expect(calls).toEqual([]);
});

it('a client that breaks off in the body is no failure of a function', async () => {
  const waiting = Promise.withResolvers<void>();
  const { gateway, port, calls, failures } = await startFixture({
    async authorizer() {
      waiting.resolve();
      return policy('Allow', '*');
    },
  });
  const socket = await open(port);
  socket.write(`POST ${CREATE} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nContent-Length: 9\r\n\r\n{`);
  await waiting.promise;
  socket.destroy();
  await gateway.close();
  expect(calls).toEqual([]);
  expect(failures).toEqual([]);
});

it('a client that is gone before its body is asked for keeps nothing waiting', async () => {
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const { gateway, port, url, calls, failures } = await startFixture({
    async authorizer() {
      entered.resolve();
      await leave.promise;
      return policy('Allow', '*');
    },
  });
  const socket = await open(port);
  socket.write(`POST ${CREATE} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nContent-Length: 9\r\n\r\n{`);
  await entered.promise;
  socket.destroy();
  await fetch(`${url}/nowhere`); // The gateway has heard of the end when it answers what was asked later.
  leave.resolve();
  await gateway.close();
  expect(calls).toEqual([]);
  expect(failures).toEqual([]);
});

const SIGN_IN = '/authentication/token';
const WEBHOOK = '/webhooks/shop';

it.each([
  ['POST', SIGN_IN, LIMITS.signInBytes],
  ['POST', '/authentication/RefreshToken', LIMITS.signInBytes],
  ['POST', WEBHOOK, LIMITS.webhookBytes],
])('of a body that is too large the function gets the beginning, and refuses it: %s %s', async (method, path, most) => {
  const { url, calls } = await startFixture();
  for (const bytes of [most, most + 1, 2 * most, GATEWAY_LIMITS.requestBytes]) {
    await fetch(url + path, { method, body: Buffer.alloc(bytes, 'x') });
  }
  expect(calls.map((call) => bytesOf(call).length)).toEqual([most, most + 1, most + 1, most + 1]);
});

it.each([
  [SIGN_IN, LIMITS.signInBytes],
  [WEBHOOK, LIMITS.webhookBytes],
])('gzip is unpacked no further than to see that it is too large: %s', async (path, most) => {
  const { url, calls } = await startFixture();
  const unpackedTo = (bytes: number) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(bytes, 'x')),
    });
  for (const bytes of [most, most + 1, 100 * 1_048_576]) await unpackedTo(bytes);
  expect(calls.map((call) => bytesOf(call).length)).toEqual([most, most + 1, most + 1]);
});

it('gzip that is too large as it is sent is not unpacked', async () => {
  const { url, only } = await startFixture();
  const stored = gzipSync(Buffer.alloc(LIMITS.signInBytes, 'x'), { level: 0 });
  await fetch(url + SIGN_IN, { method: 'POST', headers: { 'Content-Encoding': 'gzip' }, body: stored });
  expect(bytesOf(only()).equals(stored.subarray(0, LIMITS.signInBytes + 1))).toBe(true);
});

it.each([
  ['GET', '/health'],
  ['DELETE', '/segments/projects/1'],
])('of a body that is not expected only the first bytes are read: %s %s', async (method, path) => {
  const { port, only } = await startFixture();
  const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nConnection: close\r\n`;
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`);
  expect(bytesOf(only()).length).toBeLessThan(5_000);
});

it.each([
  [SIGN_IN, LIMITS.signInBytes],
  [WEBHOOK, LIMITS.webhookBytes],
])('whoever sends more is answered before all of it is there: %s', async (path, most) => {
  const { port } = await startFixture({ handler: async () => ({ statusCode: 413, body: '{}' }) });
  const socket = await open(port);
  onTestFinished(() => void socket.destroy());
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${GATEWAY_LIMITS.requestBytes}\r\n\r\n`);
  socket.write(Buffer.alloc(most + 1));
  const [answer] = await once(socket, 'data');
  expect(statusOf(String(answer))).toBe(413);
});
