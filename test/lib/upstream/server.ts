import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { answeredTo } from './world.ts';

/** A request as the simulated service received it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as received. */
  readonly bytes: Buffer;
}

/** A play: the reaction of the simulated service to a request. */
export type Play = (request: Received, response: ServerResponse) => void;

/** A simulated service on this machine, which runs until the test ends. */
export interface PlayedService {
  readonly url: string;
  readonly received: Received[];
  /** Returns the number of opened connections. */
  readonly connections: () => number;
}

/** Starts a simulated service. Each request gets the next play, and the last play answers all later requests. */
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

/** Returns the port that a server listens on. */
export function portOf(address: unknown): number {
  return z.object({ port: z.number() }).parse(address).port;
}

/** Returns a play that runs the plays in turn, and then repeats the last one. */
export function inTurn(...plays: readonly Play[]): Play {
  let turn = 0;
  return (request, response) => plays[Math.min(turn++, plays.length - 1)]?.(request, response);
}

/** The kinds of requests: create, look up by custom id, read by id, list, delete. */
export type Kind = 'create' | 'find' | 'read' | 'list' | 'remove';

/** Returns the kind of a request. */
export function kindOf(method: string, path: string): Kind {
  if (method === 'POST') return 'create';
  if (method === 'DELETE') return 'remove';
  if (/^\/segments\/projects(\?|$)/.test(path)) return 'list';
  return path.startsWith('/segments/projects/custom/') ? 'find' : 'read';
}

/** Returns a play by the kind of request. By default, the service creates every project, and finds none. */
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

/** Creates the requested project, like a service that keeps the contract. */
export function made(id = 1_000, status = 201): Play {
  return (request, response) => json(status, answeredTo(request.body, id))(request, response);
}

/** Answers with a problem of the catalogue, as Segue does. */
export function problem(status: number, type: string, fields: object = {}): Play {
  const body = { type: `https://service.example/problems/${type}`, title: 'T', status, detail: 'D', ...fields };
  return json(status, body, { 'content-type': 'application/problem+json' });
}

/** Answers with any body. */
export function text(status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Play {
  return (_, response) => response.writeHead(status, headers).end(body);
}

/** Answers with a status only. */
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
