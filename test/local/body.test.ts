import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { GATEWAY_LIMITS, LIMITS } from '../../lib/contract/limits.ts';
import { exchange, open, readAll, statusOf } from '../support/raw-http.ts';
import { ALLOWED, AUTHORIZATION, type Call, DENIED, gate, head, startFixture } from './world.ts';

const PROJECTS = '/segments/projects';
const SIGN_IN = '/authentication/token';
const CLOSE = 'Connection: close\r\n';

function bytesOf({ event }: Call): Buffer {
  expect(event.isBase64Encoded).toBe(true);
  return Buffer.from(event.body ?? '', 'base64');
}

function post(url: string, body: Uint8Array | ReadableStream, headers: Record<string, string> = {}) {
  return fetch(url + PROJECTS, { method: 'POST', headers: { ...AUTHORIZATION, ...headers }, body, duplex: 'half' });
}

const packed = gzipSync('{"name":"x"}');
it.each([
  ['any bytes', Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256)), {}, undefined],
  ['gzip without the header', packed, {}, undefined],
  ['a broken gzip stream', packed.subarray(0, 20), { 'Content-Encoding': 'gzip' }, undefined],
  ['gzip, unpacked', packed, { 'Content-Encoding': 'GZIP' }, '{"name":"x"}'],
])('passes on %s', async (_, sent, headers, expected) => {
  const { url, only } = await startFixture();
  await post(url, sent, headers);
  expect(bytesOf(only()).equals(expected === undefined ? sent : Buffer.from(expected))).toBe(true);
  expect(only().event.headers).toMatchObject(headers);
});

it('passes on a chunked body, and null for an empty one', async () => {
  const { url, port, calls } = await startFixture();
  await post(url, new Blob(['ab', 'cd']).stream());
  await exchange(port, head('POST', PROJECTS, `${CLOSE}Transfer-Encoding: chunked\r\n`), '0\r\n\r\n');
  await exchange(port, head('POST', PROJECTS, `${CLOSE}Content-Length: 0\r\n`));
  expect(calls.map(({ event }) => event.body)).toEqual([Buffer.from('abcd').toString('base64'), null, null]);
});

it('creates no event that is larger than Lambda accepts', async () => {
  const { url, calls } = await startFixture({ handler: async () => ({ statusCode: 413 }) });
  const chunk = new Uint8Array(1_048_576);
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  for (const body of [Buffer.alloc(GATEWAY_LIMITS.requestBytes + 1), endless]) {
    expect((await post(url, body, { 'X-Pad': '"'.repeat(12_000) })).status).toBe(413);
  }
  const [sent, streamed] = calls.map(({ event }) => Buffer.byteLength(JSON.stringify(event)));
  expect(sent).toBeLessThan(GATEWAY_LIMITS.eventBytes);
  expect(sent).toBeGreaterThan((LIMITS.bodyBytes / 3) * 4);
  expect(streamed).toBeLessThan(GATEWAY_LIMITS.eventBytes);
});

it('refuses credentials that are revoked while the body arrives', async () => {
  let nowMs = 0;
  let asked = 0;
  const { entered, pass, leave } = gate();
  const { port, url, calls } = await startFixture({
    now: () => nowMs,
    async authorizer() {
      if (++asked > 1) return DENIED;
      await pass();
      return ALLOWED;
    },
  });
  const socket = await open(port);
  socket.write(head('POST', PROJECTS, `${CLOSE}Content-Length: 2\r\n`));
  await entered;
  leave();
  await fetch(`${url}/nowhere`); // When the gateway answers a later request, it has used the authorizer's result.
  nowMs += 30_001;
  socket.write('{}');
  expect(statusOf(await readAll(socket))).toBe(401);
  expect(calls).toEqual([]);
});

it.each(['while', 'before'])('calls no function for a client that breaks off %s its body is read', async (moment) => {
  const { entered, leave, pass } = gate();
  const { gateway, port, url, calls, failures } = await startFixture({
    async authorizer() {
      await pass();
      return ALLOWED;
    },
  });
  const socket = await open(port);
  socket.write(`${head('POST', PROJECTS, 'Content-Length: 9\r\n')}{`);
  await entered;
  if (moment === 'while') leave();
  socket.destroy();
  await fetch(`${url}/nowhere`); // When the gateway answers a later request, it knows that the connection has ended.
  leave();
  await gateway.close();
  expect(calls).toEqual([]);
  expect(failures).toEqual([]);
});

it.each([
  [SIGN_IN, LIMITS.signInBytes],
  ['/authentication/RefreshToken', LIMITS.signInBytes],
  ['/webhooks/shop', LIMITS.webhookBytes],
])('reads one byte more than the limit of POST %s, and answers before the whole body arrives', async (path, most) => {
  const { url, port, calls } = await startFixture({ handler: async () => ({ statusCode: 413 }) });
  const send = async (body: Uint8Array, headers = {}) =>
    (await fetch(url + path, { method: 'POST', headers, body })).status;
  for (const bytes of [most, most + 1, GATEWAY_LIMITS.requestBytes]) await send(Buffer.alloc(bytes, 'x'));
  const gzip = { 'Content-Encoding': 'gzip' };
  for (const bytes of [most, most + 1, 2 * most]) await send(gzipSync(Buffer.alloc(bytes, 'x')), gzip);
  const one = most + 1;
  expect(calls.map((call) => bytesOf(call).length)).toEqual([most, one, one, most, one, one]);

  const socket = await open(port);
  onTestFinished(() => void socket.destroy());
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${GATEWAY_LIMITS.requestBytes}\r\n\r\n`);
  socket.write(Buffer.alloc(most + 1));
  const [answer] = await once(socket, 'data');
  expect(statusOf(String(answer))).toBe(413);
});

it.each([
  ['GET', '/health'],
  ['DELETE', '/segments/projects/1'],
])('reads only the first bytes of a body that %s %s does not accept', async (method, path) => {
  const { port, calls } = await startFixture();
  const packed = gzipSync(Buffer.alloc(65_536));
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  await exchange(port, head(method, path, `${CLOSE}Transfer-Encoding: chunked\r\n`), `${chunk}0\r\n\r\n`);
  await exchange(
    port,
    head(method, path, `${CLOSE}Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n`),
    packed,
  );
  const lengths = calls.map((call) => bytesOf(call).length);
  expect(lengths).toHaveLength(2);
  expect(Math.max(...lengths)).toBeLessThan(5_000);
});
