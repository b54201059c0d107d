import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { elapsedMs } from '../lib/contract/date.ts';
import { API } from './event.ts';
import { GatewayError } from './response.ts';
import { credentialsInHeader, type WrongCredentials } from './wrong-credentials.ts';

/** The values that the authorizer adds to events. */
interface AuthorizerContext {
  /** The company. */
  readonly principalId: string;
  readonly [name: string]: string;
}

interface AuthorizerOptions {
  /** Calls the authorizer function; rejects as the function throws. */
  readonly call: (event: APIGatewayRequestAuthorizerEvent) => Promise<unknown>;
  readonly wrongCredentials: WrongCredentials;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long a result is cached for the same `Authorization` value, in milliseconds; 0 caches none. */
  readonly ttlMs: number;
}

/** How many results are cached. */
const MOST_CACHED = 1_000;

/** Strict: a statement with a condition is not understood here, and must not allow anything. */
const AuthorizerResult = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z.array(
      z.strictObject({
        Effect: z.enum(['Allow', 'Deny']),
        Action: z.literal('execute-api:Invoke'),
        Resource: z.string(),
      }),
    ),
  }),
  context: z.nullish(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});

interface CachedResult {
  readonly resources: readonly string[];
  readonly context: AuthorizerContext;
  readonly sinceMs: number;
}

/** Reads the one value of `Authorization`. @throws {GatewayError} UNAUTHORIZED if there is none, or more than one */
export function identityOf(authorization: readonly string[]): string {
  const [identity] = authorization;
  if (!identity || authorization.length > 1) throw new GatewayError('UNAUTHORIZED');
  return identity;
}

/**
 * Makes a REQUEST authorizer whose identity source is the `Authorization` header. It decides on a request, and throws
 * UNAUTHORIZED, ACCESS_DENIED, THROTTLED, AUTHORIZER_FAILURE or AUTHORIZER_CONFIGURATION_ERROR.
 */
export function createAuthorizer({ call, wrongCredentials, now, ttlMs }: AuthorizerOptions) {
  const cache = new Map<string, CachedResult>();

  async function ask(event: APIGatewayProxyEvent, identity: string): Promise<CachedResult> {
    const credentials = credentialsInHeader(identity);
    const address = event.requestContext.identity.sourceIp;
    wrongCredentials.requireAllowed(credentials, address);
    try {
      const result = resultOf(await call(authorizerEvent(event)), now());
      wrongCredentials.recordGood(credentials);
      return result;
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      const isWrong = cause instanceof Error && cause.message === 'Unauthorized';
      if (!isWrong) throw new GatewayError('AUTHORIZER_FAILURE', { cause });
      wrongCredentials.recordWrong(credentials, address, cause);
      throw new GatewayError('UNAUTHORIZED', { cause });
    }
  }

  function put(identity: string, result: CachedResult): void {
    cache.delete(identity);
    if (ttlMs > 0) cache.set(identity, result);
    const [oldest] = cache.keys();
    if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  }

  return async (event: APIGatewayProxyEvent, identity: string): Promise<AuthorizerContext> => {
    let result = cache.get(identity);
    if (!result || elapsedMs(result.sinceMs, now()) >= ttlMs) {
      cache.delete(identity);
      result = await ask(event, identity);
      put(identity, result);
    }
    const methodArn = methodArnOf(event);
    if (!result.resources.some((resource) => covers(resource, methodArn))) throw new GatewayError('ACCESS_DENIED');
    return result.context;
  };
}

function resultOf(value: unknown, sinceMs: number): CachedResult {
  const parsed = AuthorizerResult.safeParse(value);
  if (!parsed.success) throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR');
  const { principalId, policyDocument, context } = parsed.data;
  const isAllowed = policyDocument.Statement.every(({ Effect }) => Effect === 'Allow');
  const values = Object.entries(context ?? {}).map(([name, text]) => [name, String(text)]);
  return {
    resources: isAllowed ? policyDocument.Statement.map(({ Resource }) => Resource) : [],
    context: { ...Object.fromEntries(values), principalId },
    sinceMs,
  };
}

/** Whether a policy's resource is the method, or everything that begins as it does before a `*` at its end. */
function covers(resource: string, methodArn: string): boolean {
  return resource.endsWith('*') ? methodArn.startsWith(resource.slice(0, -1)) : methodArn === resource;
}

function methodArnOf({ httpMethod, path }: APIGatewayProxyEvent): string {
  return `arn:aws:execute-api:${API.region}:${API.accountId}:${API.apiId}/${API.stage}/${httpMethod}${path}`;
}

function authorizerEvent(event: APIGatewayProxyEvent): APIGatewayRequestAuthorizerEvent {
  const { body: _body, isBase64Encoded: _isBase64Encoded, requestContext, ...request } = event;
  return {
    type: 'REQUEST',
    methodArn: methodArnOf(event),
    ...request,
    requestContext: { ...requestContext, authorizer: undefined },
  };
}
