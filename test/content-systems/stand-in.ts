import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../packages/simulator/random.ts';
import { type Listening, listen } from '../support/listen.ts';

/** The faults of a stand-in, and of the network around it. */
export interface FaultRates {
  readonly random: Random;
  /** The share of requests and of webhook calls that get a fault, from 0 to 1. It can change. */
  share: number;
}

/** A plan without faults. */
export const noFaults = (random: Random): FaultRates => ({ random, share: 0 });

/** A request to the API of a content system. */
export interface ApiRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** A JSON value; `undefined` for an empty body. */
  readonly body?: unknown;
}

/** A request as the stand-in saw it, for a test to check. */
export interface ReceivedRequest extends ApiRequest {
  /** The status of the answer, which a fault may have kept from the client; `undefined` if the system did nothing. */
  readonly status: number | undefined;
}

export interface ApiServer extends Listening {
  /** Every request so far. */
  readonly received: readonly ReceivedRequest[];
}

/**
 * - `error`: answers 500, and does nothing
 * - `dropped`: closes the connection, and does nothing
 * - `unanswered`: does the work, and closes the connection without an answer
 * - `slow`: does the work, and answers late
 */
const API_FAULTS = ['error', 'dropped', 'unanswered', 'slow'] as const;
const SLOW_MS = 200;

/** Starts the API of a content system on a free port of this machine. */
export async function serveApi(answer: (request: ApiRequest) => ApiAnswer, faults: FaultRates): Promise<ApiServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    const fault = faults.random.chance(faults.share) ? faults.random.pick(API_FAULTS) : undefined;
    const skipped = fault === 'error' || fault === 'dropped';
    const { status, body } = skipped ? { status: 500 } : answer(request);
    received.push({ ...request, status: skipped ? undefined : status });
    if (fault === 'dropped' || fault === 'unanswered') return void response.destroy();
    if (fault === 'slow') await sleep(SLOW_MS);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(body === undefined ? '' : JSON.stringify(body));
  }

  return { received, ...(await listen(server)) };
}

async function readRequest(incoming: IncomingMessage): Promise<ApiRequest> {
  const { method = '', url = '/', headers } = incoming;
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  return { method, path: pathname, query: searchParams, headers, body: await textOf(incoming) };
}

/** Returns the time in milliseconds since 1970. Each call returns a later time, so that no two changes share one. */
export function clock(): () => number {
  let last = 0;
  return () => {
    last = Math.max(Date.now(), last + 1);
    return last;
  };
}
