import { Problem } from '../contract/problem.ts';
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
 * Asks the service once; a second time where it did not take the account, and the secret holds another one by now.
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
  /** Asks once. An account that is not taken is forgotten. */
  async function ask(request: Request, { deadline }: Call, account: BasicCredentials): Promise<Answer> {
    const { operation, path, sent } = request;
    const headers = {
      authorization: basicHeader(account),
      accept: 'application/json',
      'accept-encoding': 'gzip',
      ...(sent && { 'content-type': 'application/json' }),
    };
    const body = sent && JSON.stringify(sent);
    try {
      const answer = await transport({ method: operation.method, path, headers, body, deadline });
      if (isLockedOut(answer)) credentials.forget(account);
      return answer;
    } catch (error) {
      if (error instanceof NoAnswer) throw silenceOf(error, operation);
      throw error;
    }
  }

  /** The account by now; `undefined` where it is still the one that was refused, or cannot be read in time. */
  async function accountAfter(refused: BasicCredentials, { deadline }: Call): Promise<BasicCredentials | undefined> {
    const over = Promise.withResolvers<undefined>();
    const timer = setTimeout(over.resolve, deadline.remainingMs(), undefined);
    try {
      const account = await Promise.race([credentials.read({ mustBeFresh: true }), over.promise]);
      return account && basicHeader(account) !== basicHeader(refused) ? account : undefined;
    } catch (error) {
      if (error instanceof Problem) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return async (request, call) => {
    const { operation } = request;
    // What is deleted is gone: it is not done with credentials that may have been withdrawn.
    const account = await credentials.read({ mustBeFresh: operation.method === 'DELETE' });
    let answer = await ask(request, call, account);
    // To whom it does not know it has done nothing, and a rotated key is no fault of the caller's.
    const next = answer.status === 401 ? await accountAfter(account, call) : undefined;
    if (next) answer = await ask(request, call, next);
    if (operation.success.includes(answer.status)) return answer;
    throw refusalOf(answer, request, now());
  };
}
