import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { NoAnswer, type TransportRequest, type TransportResponse } from '../../../lib/service/http-client/exchange.ts';
import type { CallContext } from '../../../lib/service/port.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/accounts.ts';
import { upstreamClient } from '../../../lib/upstream/client.ts';
import { requireOk } from '../../../lib/upstream/failures.ts';
import type { UpstreamRequest } from '../../../lib/upstream/requests.ts';
import { callContext } from '../support.ts';
import { ACCOUNT, START_MS } from './world.ts';

/** The reaction of a service to an exchange. */
export type Act = (exchange: TransportRequest) => TransportResponse | NoAnswer | Promise<TransportResponse | NoAnswer>;

/** A client in front of a service in this process. Only pauses and acts move its clock. */
export interface VirtualClient {
  /** Returns the response, or throws the problem of the answer. */
  readonly client: (request: UpstreamRequest, call: CallContext) => Promise<TransportResponse>;
  /** Returns a call that begins now, with the time that API Gateway allows. */
  readonly call: (fields?: Partial<CallContext>) => CallContext;
  readonly exchanges: TransportRequest[];
  readonly pausesMs: number[];
  readonly nowMs: () => number;
  readonly wait: (ms: number) => void;
}

export interface VirtualOptions {
  readonly act: Act;
  /** Reads the value of the secret. */
  readonly secret?: () => unknown;
  readonly random?: () => number;
}

export function virtualClient({ act, secret = () => ACCOUNT, random = () => 0 }: VirtualOptions): VirtualClient {
  let nowMs = START_MS;
  const exchanges: TransportRequest[] = [];
  const pausesMs: number[] = [];
  const now = () => nowMs;
  const readSecret = async () => JSON.stringify(await secret());
  const client = upstreamClient({
    credentials: cachedSecret(readSecret, readUpstreamCredentials, { now }),
    now,
    random,
    async sleep(ms) {
      pausesMs.push(ms);
      nowMs += ms;
    },
    async transport(exchange) {
      exchanges.push(exchange);
      const end = await act(exchange);
      if (end instanceof NoAnswer) throw end;
      return end;
    },
  });
  return {
    client: async (request, call) => requireOk(await client(request, call)),
    call: (fields = {}) => ({ ...callContext('company'), deadline: deadlineAt(nowMs + 28_000, now), ...fields }),
    exchanges,
    pausesMs,
    nowMs: now,
    wait(ms) {
      nowMs += ms;
    },
  };
}

/** Returns an answer with JSON. */
export function answer(status: number, value?: unknown, headers: TransportResponse['headers'] = {}): TransportResponse {
  return { status, headers, body: value === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(value)) };
}

/** Returns an act that runs each end in turn, and then repeats the last one. */
export function inTurn(...ends: readonly (TransportResponse | NoAnswer | Act)[]): Act {
  let turn = 0;
  return (exchange) => {
    const end = ends[Math.min(turn, ends.length - 1)] ?? answer(500);
    turn += 1;
    return typeof end === 'function' ? end(exchange) : end;
  };
}
