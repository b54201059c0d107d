import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../contract/problem.ts';
import type { CachedSecret } from '../credentials/cached-secret.ts';
import { jsonBytes } from '../service/encoded-text.ts';
import type { Call } from '../service/port.ts';
import { asAccount } from './as-account.ts';
import { accountOf, type UpstreamSecret } from './credentials.ts';
import { isLockedOut } from './refusal.ts';
import type { Ask, Request } from './request.ts';
import type { Send } from './shield.ts';
import { type Answer, type Exchange, NoAnswer } from './transport.ts';
import { type Time, within } from './within.ts';

/**
 * Shows the service the account of the company that asks. What it answers with 401 it has not done, so it is asked
 * again then: with a new token, and with the account that the secret holds by now, where that is another one.
 */
export function authorized(send: Send, credentials: CachedSecret<UpstreamSecret>, time: Time): Ask {
  const show = asAccount(send, time);

  async function askWith(secret: UpstreamSecret, request: Request, call: Call): Promise<Answer> {
    const answer = await show(accountOf(secret, call.companyId).account, exchangeOf(request, call));
    if (isLockedOut(answer)) credentials.forget(secret);
    return answer;
  }

  /** The secret by now; `undefined` where the account is still the one that was refused, or cannot be read in time. */
  async function secretAfter(refused: UpstreamSecret, { companyId, deadline }: Call) {
    try {
      const secret = await within(deadline, credentials.read({ mustBeFresh: true }), time.timer);
      return isDeepStrictEqual(accountOf(secret, companyId), accountOf(refused, companyId)) ? undefined : secret;
    } catch (error) {
      if (error instanceof Problem || error instanceof NoAnswer) return undefined;
      throw error;
    }
  }

  return async (request, call) => {
    // What is deleted is gone: it is not done with credentials that may have been withdrawn.
    const secret = await credentials.read({ mustBeFresh: request.operation.method === 'DELETE' });
    const answer = await askWith(secret, request, call);
    // To whom it does not know it has done nothing, and a rotated key is no fault of the caller's.
    const next = answer.status === 401 ? await secretAfter(secret, call) : undefined;
    return next ? askWith(next, request, call) : answer;
  };
}

function exchangeOf({ operation, path, sent, isProof }: Request, { deadline }: Call): Exchange {
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    ...(sent && { 'content-type': 'application/json' }),
  };
  const body = sent && jsonBytes(sent);
  return { method: operation.method, path, headers, body, deadline, isAlone: isProof };
}
