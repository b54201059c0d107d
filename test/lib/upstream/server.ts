import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { answeredTo } from './world.ts';

/** A request as the played service received it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as it came. */
  readonly bytes: Buffer;
}

/** What the played service does with a request. */
export type Play = (request: Received, response: ServerResponse) => void;

/** A service played on this machine until the test ends. */
export interface PlayedService {
  readonly url: string;
  readonly received: Received[];
  /** How many connections were opened. */
  readonly connections: () => number;
}

/** Plays a service; each request goes to the next play, the last play serves all that follow. */
export async function playService(...plays: readonly Play[]): Promise<PlayedService> {
  const received: Received[] = [];
  const play = inTurn(...plays);
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const bytes = Buffer.concat(chunks);
    const entry = { method, url, headers, body: bytes.toString(), bytes };
    received.push(entry);
    play(entry, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(async () => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    server.closeAllConnections();
    await closed.promise;
  });
  return { url: `http://127.0.0.1:${portOf(server.address())}`, received, connections: () => connections };
}

/** The port that a server listens on. */
export function portOf(address: unknown): number {
  return z.object({ port: z.number() }).parse(address).port;
}

/** One play after the other; the last one from then on. */
export function inTurn(...plays: readonly Play[]): Play {
  let turn = 0;
  return (request, response) => plays[Math.min(turn++, plays.length - 1)]?.(request, response);
}

/** What a service is asked: to create, to look up by custom id, to read by id, to list, to delete. */
export type Kind = 'create' | 'find' | 'read' | 'list' | 'remove';

/** What a request to the service asks for. */
export function kindOf(method: string, path: string): Kind {
  if (method === 'POST') return 'create';
  if (method === 'DELETE') return 'remove';
  if (/^\/segments\/projects(\?|$)/.test(path)) return 'list';
  return path.startsWith('/segments/projects/custom/') ? 'find' : 'read';
}

/** A service by what it is asked. Unless said, it makes every project, and has none. */
export function byKind(plays: Partial<Record<Kind, Play>>): Play {
  const all: Record<Kind, Play> = {
    create: made(),
    find: empty(404),
    read: empty(404),
    list: json(200, []),
    remove: empty(404),
    ...plays,
  };
  return (request, response) => all[kindOf(request.method, request.url)](request, response);
}

/** Answers with JSON. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Play {
  return text(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

/** Makes what it is asked for, as a service does that keeps the contract. */
export function made(id = 1_000, status = 201): Play {
  return (request, response) => json(status, answeredTo(request.body, id))(request, response);
}

/** Answers with a problem of the catalogue, as Segue itself would. */
export function problem(status: number, type: string, fields: object = {}): Play {
  const body = { type: `https://service.example/problems/${type}`, title: 'T', status, detail: 'D', ...fields };
  return json(status, body, { 'content-type': 'application/problem+json' });
}

/** Answers with any body. */
export function text(status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Play {
  return (_, response) => response.writeHead(status, headers).end(body);
}

/** Answers with a status alone. */
export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Play =>
  text(status, '', headers);

/** Hangs up on a request that arrived, without an answer. */
export const reset: Play = (_, response) => response.socket?.resetAndDestroy();

/** Sends headers and a part of the body, then hangs up. */
export const breakOff =
  (status: number): Play =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"id":', () => response.socket?.destroy());
  };
