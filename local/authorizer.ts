import { elapsedMs } from '../lib/contract/date.ts';
import { ACCEPTED_CREDENTIALS } from '../lib/contract/gateway-responses.ts';
import type { AllowedResult, DeniedResult } from '../lib/http/authorizer.ts';
import { remember } from '../lib/service/recent.ts';
import type { GatewayEvent } from './event.ts';
import { GatewayError } from './response.ts';
import { headerCredentials, type WrongCredentials } from './wrong-credentials.ts';

/** The event that API Gateway sends to a REQUEST authorizer. */
export interface AuthorizerEvent extends GatewayEvent {
  readonly type: 'REQUEST';
  readonly methodArn: string;
}

/** The part of an authorizer's result that the local gateway reads. */
export type LocalAuthorizerResult = Pick<AllowedResult, 'principalId' | 'context'> | DeniedResult;

interface AuthorizerOptions {
  /** Calls the authorizer function. Rejects with the error that the function throws. */
  readonly call: (event: AuthorizerEvent) => Promise<LocalAuthorizerResult>;
  readonly wrongCredentials: WrongCredentials;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /**
   * How long the authorizer's result is cached for an `Authorization` value from one address, in milliseconds. 0 turns
   * the cache off.
   */
  readonly ttlMs: number;
}

/**
 * Returns the only value of the header `Authorization`.
 * @throws {GatewayError} UNAUTHORIZED if the request has no value, or several
 */
export function identityOf(authorization: readonly string[]): string {
  const [identity] = authorization;
  if (!identity || authorization.length > 1) throw new GatewayError('UNAUTHORIZED');
  return identity;
}

/**
 * Creates a REQUEST authorizer whose identity sources are the header `Authorization` and the sender's address. Calling it returns the values that
 * the authorizer function adds to an operation's event. Of the policy in the function's result, only a denial counts,
 * because Segue's authorizer allows or denies every route.
 */
export function createAuthorizer({ call, wrongCredentials, now, ttlMs }: AuthorizerOptions) {
  /** By the hash of the credentials and the sender's address. The credentials themselves may take 16 KB, because a client may pad them. */
  const cache = new Map<string, { readonly context: AuthorizerContext; readonly sinceMs: number }>();

  /** Authorizes a request. @throws {GatewayError} ACCESS_DENIED, THROTTLED or AUTHORIZER_FAILURE */
  return async (event: GatewayEvent, identity: string): Promise<AuthorizerContext> => {
    const credentials = headerCredentials(identity);
    const name = `${credentials.hash} ${event.requestContext.identity.sourceIp}`;
    const cached = cache.get(name);
    if (cached && elapsedMs(cached.sinceMs, now()) < ttlMs) return cached.context;
    cache.delete(name);
    wrongCredentials.requireAllowed(credentials);
    const methodArn = `arn:aws:execute-api:local:000000000000:local/local/${event.httpMethod}${event.path}`;
    const result = await call({ type: 'REQUEST', methodArn, ...event }).catch((cause) => {
      throw new GatewayError('AUTHORIZER_FAILURE', { cause });
    });
    if ('policyDocument' in result && result.policyDocument.Statement[0].Effect === 'Deny') {
      wrongCredentials.recordWrong(credentials);
      throw new GatewayError('ACCESS_DENIED', { detail: `${result.context.reason} ${ACCEPTED_CREDENTIALS}` });
    }
    wrongCredentials.recordGood(credentials);
    const context = { ...result.context, principalId: result.principalId };
    remember(cache, name, { context, sinceMs: now() });
    return context;
  };
}

type AuthorizerContext = Readonly<Record<string, string>> & Pick<AllowedResult, 'principalId'>;
