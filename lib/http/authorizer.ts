import * as z from 'zod/mini';
import { type AuthDeps, authenticate } from '../credentials/authenticate.ts';
import type { Principal } from '../credentials/key-directory.ts';
import type { RecordUse } from '../credentials/last-use.ts';
import { Unauthenticated } from '../credentials/unauthenticated.ts';
import { usagePlanKeyValue } from '../credentials/usage-plan-key.ts';
import { alertOf, failureFields, type Log, logToStandardError } from '../service/log.ts';
import { readTraceparent, traceFrom } from '../service/trace.ts';
import { refusalFields } from './refusal-fields.ts';

/** The parts of a REQUEST authorizer's event that Segue reads. */
const AuthorizerEvent = z.object({
  methodArn: z.string(),
  headers: z.nullable(z.record(z.string(), z.string())),
  requestContext: z.object({
    /** The id that API Gateway made. A client can choose `requestId`. */
    extendedRequestId: z.optional(z.string()),
    identity: z.optional(z.object({ sourceIp: z.optional(z.string()) })),
  }),
});

/** The result of an authorizer: a policy for API Gateway, and the context that operations receive. */
export interface AuthorizerResult {
  readonly principalId: string;
  readonly policyDocument: {
    readonly Version: '2012-10-17';
    readonly Statement: readonly [
      { readonly Effect: 'Allow'; readonly Action: 'execute-api:Invoke'; readonly Resource: string },
    ];
  };
  /** The key by which the usage plan counts requests. All API keys of a company share it. */
  readonly usageIdentifierKey: string;
  /** The credentials, for the operations. All values are strings, because API Gateway passes on nothing else. */
  readonly context: Readonly<Record<'companyId' | 'keyId' | 'scopes', string>> & {
    readonly [Name in 'keyVersion' | 'keyExpiresAtMs']?: string;
  };
}

/**
 * Makes the authorizer. Its policy allows every route of the stage, because API Gateway caches the policy and applies
 * it to all requests with the same credentials, whatever their route. Each operation checks its own scope.
 */
export function authorizer(
  authentication: AuthDeps,
  { recordUse, log = logToStandardError }: { readonly recordUse: RecordUse; readonly log?: Log },
): (event: unknown, context: { readonly awsRequestId: string }) => Promise<AuthorizerResult> {
  return async (event, { awsRequestId }) => {
    const began = authentication.now();
    let requestId = awsRequestId;
    let traceId: string | undefined;
    let address: string | undefined;
    let methodArn: string;
    let principal: Principal;
    try {
      const { headers, requestContext, ...read } = AuthorizerEvent.parse(event);
      methodArn = read.methodArn;
      requestId = requestContext.extendedRequestId ?? awsRequestId;
      traceId = readTraceparent(headerOf(headers ?? {}, 'traceparent')) ?? traceFrom(requestId);
      address = requestContext.identity?.sourceIp;
      principal = await authenticate(headerOf(headers ?? {}, 'authorization') ?? '', address, authentication);
    } catch (error) {
      const line = { operation: 'authorizer', requestId, traceId, durationMs: authentication.now() - began };
      if (!(error instanceof Unauthenticated)) {
        const failure = failureFields(error);
        log({ ...line, alert: alertOf(failure), ...failure });
        throw error;
      }
      log({ ...line, ...(await refusalFields(error, address, authentication)) });
      // API Gateway answers 401 if the error has exactly this message, and 500 if it has any other.
      throw new Error('Unauthorized');
    }
    const { companyId, keyId, keyVersion, keyExpiresAtMs, scopes } = principal;
    await recordUse(keyId);
    return {
      principalId: companyId,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: everyRoute(methodArn) }],
      },
      usageIdentifierKey: usagePlanKeyValue({ apiId: apiOf(methodArn), companyId }),
      context: {
        companyId,
        keyId,
        ...(keyVersion !== undefined && { keyVersion: String(keyVersion) }),
        ...(keyExpiresAtMs !== undefined && { keyExpiresAtMs: String(keyExpiresAtMs) }),
        scopes: scopes.join(' '),
      },
    };
  };
}

function headerOf(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Returns the API's id in `arn:aws:execute-api:<region>:<account>:<api>/<stage>/<method>/<path>`. */
function apiOf(methodArn: string): string {
  return /^(?:[^:/]*:){5}([^:/]+)/.exec(methodArn)?.[1] ?? '';
}

/** Returns an ARN that matches every method and path of the stage. */
function everyRoute(methodArn: string): string {
  return `${methodArn.split('/').slice(0, 2).join('/')}/*`;
}
