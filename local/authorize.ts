import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { elapsedMs } from '../lib/contract/elapsed.ts';
import { API } from './event.ts';
import { Authorization, allows, type PolicyDocument } from './policy.ts';
import { Refusal } from './refusal.ts';

/** Calls the authorizer function; rejects as the function throws. */
export type AuthorizerCall = (event: APIGatewayRequestAuthorizerEvent) => Promise<unknown>;

/** Values an authorizer adds to the events of the functions behind it. */
export interface AuthorizerContext {
  /** Who asks: the company. */
  readonly principalId: string;
  readonly [name: string]: string;
}

export interface AuthorizerOptions {
  readonly call: AuthorizerCall;
  readonly now: () => number;
  /** How long a policy is kept for the same `Authorization` value; 0 keeps none. */
  readonly ttlMs: number;
  /** How many policies are kept; beyond it the oldest goes. */
  readonly maxEntries?: number;
}

interface Granted {
  readonly policy: PolicyDocument;
  readonly context: AuthorizerContext;
  readonly sinceMs: number;
}

/**
 * A REQUEST authorizer whose identity source is the `Authorization` header. The policy it returned for a value is used
 * for every method, until it expires.
 */
export function createAuthorizer({ call, now, ttlMs, maxEntries = 1_000 }: AuthorizerOptions) {
  const kept = new Map<string, Granted>();

  function recall(identity: string): Granted | undefined {
    const granted = kept.get(identity);
    if (!granted || elapsedMs(granted.sinceMs, now()) < ttlMs) return granted;
    kept.delete(identity);
    return undefined;
  }

  function keep(identity: string, granted: Granted): void {
    if (ttlMs <= 0) return;
    kept.delete(identity);
    kept.set(identity, granted);
    for (const oldest of kept.keys()) {
      if (kept.size <= maxEntries) break;
      kept.delete(oldest);
    }
  }

  /**
   * Decides on a request.
   * @throws {Refusal} UNAUTHORIZED, ACCESS_DENIED, AUTHORIZER_FAILURE, AUTHORIZER_CONFIGURATION_ERROR
   */
  return async (event: APIGatewayProxyEvent, identity: string): Promise<AuthorizerContext> => {
    const methodArn = methodArnOf(event);
    let granted = recall(identity);
    if (!granted) {
      granted = grantedBy(await asked(call, authorizerEvent(event, methodArn)), now());
      keep(identity, granted);
    }
    if (!allows(granted.policy, methodArn)) throw new Refusal('ACCESS_DENIED');
    return granted.context;
  };
}

/**
 * The value of the identity source.
 * @param authorization every value of the `Authorization` header; two would leave open who the caller is
 * @throws {Refusal} UNAUTHORIZED where there is no value, or more than one
 */
export function identityOf(authorization: readonly string[]): string {
  const [identity] = authorization;
  if (!identity || authorization.length > 1) throw new Refusal('UNAUTHORIZED');
  return identity;
}

async function asked(call: AuthorizerCall, event: APIGatewayRequestAuthorizerEvent): Promise<unknown> {
  try {
    return await call(event);
  } catch (cause) {
    const unauthorized = cause instanceof Error && cause.message === 'Unauthorized';
    throw new Refusal(unauthorized ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE', { cause });
  }
}

function grantedBy(result: unknown, sinceMs: number): Granted {
  const parsed = Authorization.safeParse(result);
  if (!parsed.success) throw new Refusal('AUTHORIZER_CONFIGURATION_ERROR');
  const { principalId, policyDocument, context } = parsed.data;
  const values = Object.entries(context ?? {}).map(([name, value]) => [name, String(value)]);
  return { policy: policyDocument, context: { ...Object.fromEntries(values), principalId }, sinceMs };
}

function methodArnOf({ httpMethod, path }: APIGatewayProxyEvent): string {
  return `arn:aws:execute-api:${API.region}:${API.accountId}:${API.apiId}/${API.stage}/${httpMethod}${path}`;
}

function authorizerEvent(event: APIGatewayProxyEvent, methodArn: string): APIGatewayRequestAuthorizerEvent {
  const { body: _body, isBase64Encoded: _isBase64Encoded, requestContext, ...request } = event;
  return { type: 'REQUEST', methodArn, ...request, requestContext: { ...requestContext, authorizer: undefined } };
}
