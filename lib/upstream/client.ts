import { setTimeout } from 'node:timers/promises';
import type { CachedSecret } from '../credentials/cached-secret.ts';
import type { Call } from '../service/port.ts';
import { authorized } from './authorized.ts';
import type { UpstreamSecret } from './credentials.ts';
import { refusalOf, silenceOf } from './refusal.ts';
import { repeating } from './repeating.ts';
import type { Request } from './request.ts';
import { shielded } from './shield.ts';
import { type Answer, NoAnswer, type Transport } from './transport.ts';
import type { Timer } from './within.ts';

/**
 * Asks the service, again where that can do nothing twice. What may have been done is never sent again here.
 * @returns an answer with one of the operation's success statuses; its body is still unread
 * @throws {Problem}
 */
export type Client = (request: Request, call: Call) => Promise<Answer>;

export interface ClientOptions {
  readonly transport: Transport;
  readonly credentials: CachedSecret<UpstreamSecret>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for so many milliseconds; with a timer unless given. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Tells when something takes too long; a real one unless given. */
  readonly timer?: Timer | undefined;
  /** From 0 up to 1; `Math.random` unless given. */
  readonly random?: (() => number) | undefined;
}

/** One for each process and base URL: what it learns of the service is for all requests. */
export function upstreamClient(options: ClientOptions): Client {
  const { transport, credentials, now, sleep = setTimeout, timer = setTimeout, random = Math.random } = options;
  const ask = repeating(authorized(shielded(transport, now), credentials, { now, timer }), { now, sleep, random });
  return async (request, call) => {
    const { operation } = request;
    try {
      const answer = await ask(request, call);
      if (operation.success.includes(answer.status)) return answer;
      throw refusalOf(answer, request, now());
    } catch (error) {
      throw error instanceof NoAnswer ? silenceOf(error, operation) : error;
    }
  };
}
