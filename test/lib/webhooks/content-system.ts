import {
  createServer as createPlainServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer } from 'node:https';
import { onTestFinished } from 'vitest';
import type { ReadLiveSecrets } from '../../../lib/credentials/live-secrets.ts';
import { type PublicTransportOptions, publicTransport } from '../../../lib/service/http-client/public-transport.ts';
import { isPublicAddress } from '../../../lib/service/public-address.ts';
import { entryFetcher } from '../../../lib/webhooks/fetch-entry.ts';
import type { Mapper } from '../../../lib/webhooks/mapping/mapper.ts';
import { certificateFor } from '../../support/certificate.ts';
import { lookupOf } from '../events/receiver.ts';
import { portOf } from '../upstream/server.ts';

/** The host name of the content systems of tests. */
const HOST = 'cms.test';
const { ca, ...credentials } = certificateFor(HOST);

/** A request as a content system got it. */
export interface ContentRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A content system on this machine. */
export interface ContentSystem {
  /** The host with its port. */
  readonly host: string;
  readonly url: string;
  readonly requests: ContentRequest[];
  readonly connections: () => number;
}

/** Answers with JSON. */
export const answerJson =
  (value: unknown): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

/** Answers with a status and headers, and no body. */
export const answerStatus =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end();
  };

/** Starts a content system with https, which runs until the test ends. */
export async function startContentSystem(answer: RequestListener): Promise<ContentSystem> {
  const requests: ContentRequest[] = [];
  const server = createServer(credentials, recorded(requests, answer));
  const { port, connections } = await listen(server);
  const host = `${HOST}:${port}`;
  return { host, url: `https://${host}`, requests, connections };
}

/** Starts a content system with http at 127.0.0.1, which runs until the test ends. */
export async function startPlainSystem(answer: RequestListener): Promise<ContentSystem> {
  const requests: ContentRequest[] = [];
  const { port, connections } = await listen(createPlainServer(recorded(requests, answer)));
  const host = `127.0.0.1:${port}`;
  return { host, url: `http://${host}`, requests, connections };
}

function recorded(requests: ContentRequest[], answer: RequestListener): RequestListener {
  return (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    answer(request, response);
  };
}

async function listen(server: Server | ReturnType<typeof createServer>) {
  let connections = 0;
  server.on('connection', () => {
    connections++;
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: portOf(server.address()), connections: () => connections };
}

/** The secret of the fetches of tests. */
export const SECRET = 'Bearer CANARY-fetch-secret';

/** Gives each message the URL in its body, as the mapping of `identity` gives it its commands. */
const urlOfBody: Pick<Mapper, 'apply'> = { apply: async (_, { body }) => urlIn(body) };

function urlIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined;
}

export interface FetcherOptions extends Partial<PublicTransportOptions> {
  readonly mapper?: Pick<Mapper, 'apply'>;
  readonly secretsOf?: ReadLiveSecrets;
}

/**
 * Returns a fetcher that reaches the content systems of this machine as if they were public: the address 127.0.0.1 counts
 * as public, and every name resolves to it. The URL of a message is in its body.
 */
export function localFetcher({ mapper = urlOfBody, secretsOf, timeoutMs: own, ...options }: FetcherOptions = {}) {
  return entryFetcher({
    mapper,
    secretsOf: secretsOf ?? (async () => [SECRET]),
    transportWith: (timeoutMs, maxAnswerBytes) =>
      publicTransport({
        allowsLoopback: false,
        ca,
        lookup: lookupOf(['127.0.0.1']).lookup,
        mayConnect: (address) => address === '127.0.0.1' || isPublicAddress(address),
        ...options,
        timeoutMs: own ?? timeoutMs,
        maxAnswerBytes,
      }),
    now: Date.now,
  });
}
