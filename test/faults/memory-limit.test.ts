import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../support/http.ts';
import { peakBytes } from '../support/memory.ts';
import { segments, smallProject } from '../support/projects.ts';
import { open, statusOf } from '../support/raw-http.ts';

const MAX_BYTES = 512 * 1_048_576;
const PROJECTS = '/segments/projects';
const LARGE = projectOf(LIMITS.bodyBytes, 'lorem ipsum dolor sit amet '.repeat(6));
/** A text of a million characters that gzip hardly compresses. */
const RANDOM = Buffer.from(Uint8Array.from({ length: 750_000 }, () => Math.random() * 256)).toString('base64');

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.stop();
});

/** Returns a project whose JSON has nearly this many bytes. */
function projectOf(bytes: number, content: string): string {
  const count = Math.floor((bytes - 1_000) / (JSON.stringify({ content }).length + 1));
  return JSON.stringify(smallProject({ segments: segments(count, { content }) }));
}

function ask(request: HttpRequest): Promise<HttpAnswer> {
  const headers = { Authorization: gateway.authorization, 'Accept-Encoding': 'gzip', ...request.headers };
  return send(gateway.url, { ...request, headers });
}

function create(body: string | Uint8Array, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return ask({ method: 'POST', path: PROJECTS, headers: { 'Content-Type': 'application/json', ...headers }, body });
}

/**
 * Sends requests at once.
 * @returns the statuses of the answers
 */
async function statuses(count: number, request: () => Promise<{ status: number }>): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, request));
  return [...new Set(responses.map(({ status }) => status))];
}

function head(method: string, path: string, lines = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${gateway.authorization}\r\n${lines}\r\n`;
}

/** Opens connections that stay until the end of the test. */
async function connections(count: number, begin: (socket: Socket) => void): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = await open(Number(new URL(gateway.url).port));
    onTestFinished(() => void socket.destroy());
    begin(socket.on('error', () => {}));
    sockets.push(socket);
  }
  return sockets;
}

/** Uploads a body in one chunk. */
async function upload(bytes: number): Promise<{ status: number }> {
  const socket = await open(Number(new URL(gateway.url).port));
  socket.on('error', () => {});
  socket.write(
    `${head('POST', PROJECTS, 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n')}${bytes.toString(16)}\r\n`,
  );
  socket.write(Buffer.alloc(bytes, ' '));
  socket.write('\r\n0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return { status: statusOf(String(answer)) };
}

/** Creates a project, also if its connection is dropped to make room for others. */
async function createSmall(): Promise<number> {
  for (;;) {
    try {
      return (await create(JSON.stringify(smallProject()))).status;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
    }
  }
}

it.each<[string, () => Promise<unknown>]>([
  ['15 projects of 4 MB at once', async () => expect(await statuses(15, () => create(LARGE))).toEqual([201])],
  ['20 chunked uploads of 10 MB', async () => expect(await statuses(20, () => upload(10_000_000))).toEqual([413])],
  [
    '50 gzip bombs, and 20 in gzip once more',
    async () => {
      const bomb = gzipSync(Buffer.alloc(10_485_760));
      const gzip = { 'Content-Encoding': 'gzip' };
      expect(await statuses(50, () => create(bomb, gzip))).toEqual([413]);
      expect(await statuses(20, () => create(gzipSync(bomb), gzip))).toEqual([413]);
    },
  ],
  [
    '60 uploads that never end',
    () => {
      const lines = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
      const beginning = `${head('POST', PROJECTS, lines)}400000\r\n${' '.repeat(4_000_000)}`;
      return connections(60, (socket) => socket.write(beginning));
    },
  ],
  [
    '20 clients that do not read their responses of 3 MB',
    async () => {
      const { headers } = await create(projectOf(4_100_000, RANDOM));
      const request = head('GET', new URL(headers.location ?? '').pathname, 'Accept-Encoding: gzip\r\n');
      await connections(20, (socket) => socket.pause().write(request.repeat(8)));
    },
  ],
  [
    'more silent connections than it takes',
    async () => {
      for (const socket of await connections(900, () => {})) socket.destroy();
    },
  ],
])('stays below 512 MB with %s, and serves others', async (_, load) => {
  await load();
  expect(await createSmall()).toBe(201);
  expect(peakBytes(gateway.process.pid)).toBeLessThan(MAX_BYTES);
  expect(peakBytes(gateway.process.pid)).toBeGreaterThan(0);
});
