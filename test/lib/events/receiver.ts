import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { LookupFunction } from 'node:net';
import { onTestFinished } from 'vitest';
import { type PublicTransportOptions, publicTransport } from '../../../lib/service/http-client/public-transport.ts';
import { isPublicAddress } from '../../../lib/service/public-address.ts';
import { certificateFor } from '../../support/certificate.ts';
import { portOf } from '../upstream/server.ts';

/** The host name of the receivers of tests. */
export const HOST = 'events.test';
const { ca, ...credentials } = certificateFor(HOST);

/** A message as a receiver got it. */
export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: ServerResponse, received: ReceivedEvent) => void;

/** Answers with a status, and no body. */
export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end();
  };

/** A receiver of events on this machine, with https and a certificate for `HOST`. */
export interface Receiver {
  readonly url: string;
  readonly received: ReceivedEvent[];
  readonly connections: () => number;
  /** The answer to each message; 200 by default. */
  answer: Answer;
}

/** Starts a receiver, which runs until the test ends. */
export async function startReceiver(answer: Answer = answerWith(200)): Promise<Receiver> {
  const received: ReceivedEvent[] = [];
  let connections = 0;
  const server = createServer(credentials, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const entry = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
    received.push(entry);
    receiver.answer(response, entry);
  });
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
  const url = `https://${HOST}:${portOf(server.address())}`;
  const receiver: Receiver = { url, received, connections: () => connections, answer };
  return receiver;
}

/** Returns a lookup that answers with these addresses in turn, and with the last of them from then on. */
export function lookupOf(...answers: readonly (readonly string[])[]): { lookup: LookupFunction; calls: () => number } {
  let calls = 0;
  return {
    lookup: (_, { all }, callback) => {
      const addresses = answers[Math.min(calls++, answers.length - 1)] ?? [];
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      if (all) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    },
    calls: () => calls,
  };
}

/**
 * Returns a transport that reaches the receivers of this machine as if they were public: the address 127.0.0.1 counts as
 * public, and every name resolves to it.
 */
export function localTransport(options: Partial<PublicTransportOptions> = {}) {
  return publicTransport({
    allowsLoopback: false,
    ca,
    lookup: lookupOf(['127.0.0.1']).lookup,
    mayConnect: (address) => address === '127.0.0.1' || isPublicAddress(address),
    ...options,
  });
}
