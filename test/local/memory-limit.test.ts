import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../support/http.ts';
import { MemoryWatch } from '../support/memory.ts';
import { segments, smallProject } from '../support/projects.ts';
import { open, statusOf } from '../support/raw-http.ts';

const MOST_BYTES = 512 * 1_048_576;
const PROJECTS = '/segments/projects';
const LARGE = projectOf(LIMITS.bodyBytes, 'lorem ipsum dolor sit amet '.repeat(6));
/** A text of a million characters that gzip makes little shorter. */
const RANDOM = Buffer.from(Uint8Array.from({ length: 750_000 }, () => Math.random() * 256)).toString('base64');

let gateway: StartedGateway;
let memory: MemoryWatch;
beforeAll(async () => {
  gateway = await startGateway();
  memory = new MemoryWatch(gateway.process.pid ?? 0);
});
afterAll(async () => {
  memory[Symbol.dispose]();
  await gateway.stop();
});

/** A project whose JSON has nearly so many bytes. */
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

/** So many at once, and the statuses that they were answered with. */
async function statuses(count: number, request: (n: number) => Promise<{ status: number }>): Promise<Set<number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => request(n)));
  return new Set(answers.map(({ status }) => status));
}

function head(method: string, path: string, lines = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${gateway.authorization}\r\n${lines}\r\n`;
}

/** Connections that stay until the test is over, unless they are ended before. */
async function connections(count: number, begin: (socket: Socket) => void): Promise<Socket[]> {
  const { port } = new URL(gateway.url);
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = await open(Number(port));
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    begin(socket);
    sockets.push(socket);
  }
  return sockets;
}

/** Uploads a body in chunks, and says what it was answered with. */
async function upload(bytes: number): Promise<{ status: number }> {
  const socket = await open(Number(new URL(gateway.url).port));
  socket.on('error', () => {});
  socket.write(`${head('POST', PROJECTS, 'Transfer-Encoding: chunked\r\n')}${bytes.toString(16)}\r\n`);
  socket.write(Buffer.alloc(bytes, ' '));
  socket.write('\r\n0\r\n\r\n');
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return { status: statusOf(String(answer)) };
}

/** A request that others' connections leave no room for is sent again. */
async function createSmall(): Promise<number> {
  for (;;) {
    try {
      return (await create(JSON.stringify(smallProject()))).status;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
    }
  }
}

describe('the gateway stays below 512 MB', () => {
  const loads: [what: string, load: () => Promise<void>][] = [
    [
      '30 projects of 4 MB at once',
      async () => expect(await statuses(30, () => create(LARGE))).toEqual(new Set([201])),
    ],
    [
      '10 values of 4 MB that are no project',
      async () => {
        const values = `[${'{},'.repeat(LIMITS.bodyBytes / 3 - 10)}{}]`;
        expect(await statuses(10, () => create(values))).toEqual(new Set([400]));
      },
    ],
    [
      '30 uploads of 10 MB in chunks',
      async () => expect(await statuses(30, () => upload(10_000_000))).toEqual(new Set([413])),
    ],
    [
      '100 gzip bombs, and 20 in gzip once more',
      async () => {
        const bomb = gzipSync(Buffer.alloc(10_485_760));
        const gzip = { 'Content-Encoding': 'gzip' };
        expect(await statuses(100, () => create(bomb, gzip))).toEqual(new Set([413]));
        expect(await statuses(20, () => create(gzipSync(bomb), gzip))).toEqual(new Set([413]));
      },
    ],
    [
      '60 uploads that never end',
      async () => {
        const lines = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
        const beginning = Buffer.concat([
          Buffer.from(`${head('POST', PROJECTS, lines)}400000\r\n`),
          Buffer.alloc(4_000_000),
        ]);
        await connections(60, (socket) => socket.write(beginning));
      },
    ],
    [
      'readers of 3 MB each that do not read',
      async () => {
        const { headers } = await create(projectOf(4_100_000, RANDOM));
        const path = new URL(headers.location ?? '').pathname;
        await connections(20, (socket) =>
          socket.pause().write(head('GET', path, 'Accept-Encoding: gzip\r\n').repeat(8)),
        );
      },
    ],
    [
      'more connections than it takes, none of which says anything',
      async () => {
        const silent = await connections(900, () => {});
        for (const socket of silent) socket.destroy();
      },
    ],
  ];

  it.each(loads)('with %s, and goes on', async (_, load) => {
    await load();
    expect(await createSmall()).toBe(201);
    expect(memory.peakBytes()).toBeLessThan(MOST_BYTES);
    expect(memory.peakBytes()).toBeGreaterThan(0);
  });
});
