import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { nameResolver } from '../../../../lib/service/http-client/name-resolver.ts';

const A = 1;
const NO_SUCH_NAME = 3;

/** The end of a question: the name with its type. A name begins after the header, and ends with an empty label. */
function questionIn(message: Buffer) {
  const end = message.indexOf(0, 12);
  return { name: message.toString('latin1', 13, end), type: message.readUInt16BE(end + 1), end: end + 5 };
}

/**
 * Starts a name server. It knows the IPv4 addresses of names that begin with `known`. It never answers a question for
 * one that begins with `silent`. Other names do not exist.
 */
async function startNameServer(): Promise<string> {
  const server = createSocket('udp4');
  server.on('message', (message, { address, port }) => {
    const { name, type, end } = questionIn(message);
    if (name.startsWith('silent')) return;
    const isKnown = name.startsWith('known');
    const hasAddress = isKnown && type === A;
    const answer = hasAddress ? Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 9, 0, 4, 203, 0, 113, 7]) : Buffer.alloc(0);
    const head = [0x81, isKnown ? 0x80 : 0x80 + NO_SUCH_NAME, 0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0];
    server.send(
      Buffer.concat([message.subarray(0, 2), Buffer.from(head), message.subarray(12, end), answer]),
      port,
      address,
    );
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${server.address().port}`;
}

/** Resolves a name to its addresses, or to the code of the error. */
function resolve(lookup: LookupFunction, name: string): Promise<unknown> {
  return new Promise((done) => lookup(name, { all: true }, (error, found) => done(error ? error.code : found)));
}

it('finds the addresses of a name, and says why there are none', async () => {
  const lookup = nameResolver([await startNameServer()]);
  expect(await resolve(lookup, 'known.test')).toEqual([{ address: '203.0.113.7', family: 4 }]);
  expect(await resolve(lookup, 'unknown.test')).toBe('ENOTFOUND');
  expect(await resolve(nameResolver(['127.0.0.1:9']), 'known.test')).toMatch(/^E(CONNREFUSED|TIMEOUT)$/);
});

it('is not held up by names whose servers do not answer', async () => {
  const lookup = nameResolver([await startNameServer()]);
  const ended: string[] = [];
  for (let n = 0; n < 16; n++) void resolve(lookup, `silent${n}.test`).then((end) => ended.push(String(end)));
  expect(await resolve(lookup, 'known.test')).toHaveLength(1);
  expect(ended).toEqual([]);
});

it('knows this machine by its name, so that the transport can refuse it', async () => {
  for (const name of ['localhost', 'a.localhost', 'LOCALHOST.'])
    expect(await resolve(nameResolver([]), name)).toEqual([{ address: '127.0.0.1', family: 4 }]);
});
