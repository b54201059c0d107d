import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { GATEWAY_LIMITS, LIMITS } from '../../lib/contract/limits.ts';
import { bodyOf, exchange, open, readAll, statusOf } from '../support/raw-http.ts';
import { AUTHORIZATION, type Call, gate, head, policy, startFixture } from './world.ts';

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

/** A body, and headers, that make an event of some bytes. */
async function eventOf(bytes: number): Promise<[body: Buffer, headers: Record<string, string>]> {
  const padding = (pads: number, letters: number) => ({ 'X-Pad': 'x'.repeat(pads), 'User-Agent': 'x'.repeat(letters) });
  const { url, only } = await startFixture();
  await post(url, Buffer.alloc(3_000_000, 'x'), padding(1, 1));
  const room = bytes - Buffer.byteLength(JSON.stringify({ ...only().event, body: '' }));
  // Three bytes are four characters of base64. Letters fill the rest: in the event they stand twice or thrice.
  const encoded = Math.floor((room - 5) / 4) * 4;
  const thrice = (room - encoded) % 2;
  const twice = (room - encoded - 3 * thrice) / 2;
  return [Buffer.alloc((encoded / 4) * 3, 'x'), padding(1 + twice, 1 + thrice)];
}

it.each([
  [GATEWAY_LIMITS.eventBytes, 200],
  [GATEWAY_LIMITS.eventBytes + 1, 413],
])('answers an event of %i bytes with %i', async (bytes, status) => {
  const { url, calls } = await startFixture();
  const response = await post(url, ...(await eventOf(bytes)));
  expect(response.status).toBe(status);
  expect(calls.map(({ event }) => Buffer.byteLength(JSON.stringify(event)))).toEqual(status === 200 ? [bytes] : []);
  if (status === 413) expect(await response.json()).toMatchObject({ outcome: 'not-applied' });
});

it('refuses a body over 10 MB before it is sent, or while it arrives', async () => {
  const { port, url, calls } = await startFixture();
  const length = `Content-Length: ${GATEWAY_LIMITS.requestBytes + 1}\r\n`;
  const answer = await exchange(port, head('POST', PROJECTS, `${length}Expect: 100-continue\r\n${CLOSE}`));
  expect(statusOf(answer.replace('HTTP/1.1 100 Continue\r\n\r\n', ''))).toBe(413);
  const chunk = new Uint8Array(1_048_576);
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  expect((await post(url, endless)).status).toBe(413);
  expect(calls).toEqual([]);
});

it('lets a client continue only with good credentials, and in its turn', async () => {
  const { port } = await startFixture({ handler: async ({ httpMethod }) => ({ statusCode: 200, body: httpMethod }) });
  const expecting = 'Expect: 100-continue\r\nContent-Length: 2\r\n';
  const refused = await exchange(port, `POST ${PROJECTS} HTTP/1.1\r\nHost: a\r\n${expecting}\r\n`);
  expect(statusOf(refused)).toBe(401);
  expect(refused).toMatch(/^connection: close\r$/im);

  const socket = await open(port);
  const everything = readAll(socket);
  socket.write(head('GET', PROJECTS) + head('POST', PROJECTS, expecting));
  socket.on('data', (chunk: Buffer) => chunk.includes('100 Continue') && socket.end('{}'));
  const answers = (await everything).split('HTTP/1.1 ').slice(1);
  expect(answers.map((answer) => answer.slice(0, answer.indexOf('\r')))).toEqual(['200 OK', '100 Continue', '200 OK']);
  expect([answers.at(0), answers.at(-1)].map((answer = '') => bodyOf(answer))).toEqual(['GET', 'POST']);
});

it('refuses credentials that are revoked while the body arrives', async () => {
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
  socket.write(head('POST', PROJECTS, `${CLOSE}Expect: 100-continue\r\nContent-Length: 2\r\n`));
  // A client that may continue has been authorized.
  await once(socket, 'data');
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
      return policy('Allow', '*');
    },
  });
  const socket = await open(port);
  socket.write(`${head('POST', PROJECTS, 'Content-Length: 9\r\n')}{`);
  await entered;
  if (moment === 'while') leave();
  socket.destroy();
  await fetch(`${url}/nowhere`); // The gateway has heard of the end when it answers a later request.
  leave();
  await gateway.close();
  expect(calls).toEqual([]);
  expect(failures).toEqual([]);
});

it.each([
  [SIGN_IN, LIMITS.signInBytes],
  ['/authentication/RefreshToken', LIMITS.signInBytes],
  ['/webhooks/shop', LIMITS.webhookBytes],
])(
  'reads one byte more than the limit of POST %s, packed or not, and answers before it has all',
  async (path, most) => {
    const { url, port, calls } = await startFixture({ handler: async () => ({ statusCode: 413, body: '{}' }) });
    const send = (body: Uint8Array, headers = {}) => fetch(url + path, { method: 'POST', headers, body });
    for (const bytes of [most, most + 1, GATEWAY_LIMITS.requestBytes]) await send(Buffer.alloc(bytes, 'x'));
    const gzip = { 'Content-Encoding': 'gzip' };
    for (const bytes of [most, most + 1, 20 * 1_048_576]) await send(gzipSync(Buffer.alloc(bytes, 'x')), gzip);
    const limits = [most, most + 1, most + 1];
    expect(calls.map((call) => bytesOf(call).length)).toEqual([...limits, ...limits]);

    const socket = await open(port);
    onTestFinished(() => void socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${GATEWAY_LIMITS.requestBytes}\r\n\r\n`);
    socket.write(Buffer.alloc(most + 1));
    const [answer] = await once(socket, 'data');
    expect(statusOf(String(answer))).toBe(413);
  },
);

it('does not unpack gzip that is too large as it is sent', async () => {
  const { url, only } = await startFixture();
  const stored = gzipSync(Buffer.alloc(LIMITS.signInBytes, 'x'), { level: 0 });
  await fetch(url + SIGN_IN, { method: 'POST', headers: { 'Content-Encoding': 'gzip' }, body: stored });
  expect(bytesOf(only()).equals(stored.subarray(0, LIMITS.signInBytes + 1))).toBe(true);
});

it.each([
  ['GET', '/health'],
  ['DELETE', '/segments/projects/1'],
])('reads only the first bytes of a body that %s %s does not take', async (method, path) => {
  const { port, only } = await startFixture();
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  await exchange(port, `${head(method, path, `${CLOSE}Transfer-Encoding: chunked\r\n`)}${chunk}0\r\n\r\n`);
  expect(bytesOf(only()).length).toBeLessThan(5_000);
});
