import { type BasicCredentials, basicHeader } from '../credentials/basic.ts';
import type { CachedSecret } from '../credentials/secrets.ts';
import type { Call } from '../service/port.ts';
import { type Asked, isLockedOut, refusalOf, silenceOf } from './refusal.ts';
import { type Answer, NoAnswer, type Transport } from './transport.ts';

/** A request to the service, apart from what all of them share. */
export interface Request extends Asked {
  readonly path: string;
  /** What is sent as JSON; the checked value, never the bytes that were received. */
  readonly sent?: object;
}

/**
 * Asks the service once.
 * @returns an answer with one of the operation's success statuses; its body is still unread
 * @throws {Problem}
 */
export type Client = (request: Request, call: Call) => Promise<Answer>;

export interface ClientOptions {
  readonly transport: Transport;
  readonly credentials: CachedSecret<BasicCredentials>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function upstreamClient({ transport, credentials, now }: ClientOptions): Client {
  return async (request, { deadline }) => {
    const { operation, path, sent } = request;
    // What is deleted is gone: it is not done with credentials that may have been withdrawn.
    const account = await credentials.read({ mustBeFresh: operation.method === 'DELETE' });
    const headers = {
      authorization: basicHeader(account),
      accept: 'application/json',
      'accept-encoding': 'gzip',
      ...(sent && { 'content-type': 'application/json' }),
    };
    const body = sent && JSON.stringify(sent);
    let answer: Answer;
    try {
      answer = await transport({ method: operation.method, path, headers, body, deadline });
    } catch (error) {
      if (error instanceof NoAnswer) throw silenceOf(error, operation);
      throw error;
    }
    if (operation.success.includes(answer.status)) return answer;
    if (isLockedOut(answer)) credentials.forget(account);
    throw refusalOf(answer, request, now());
  };
}
