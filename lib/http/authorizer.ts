import * as z from 'zod/mini';
import { refusalText } from '../contract/gateway-responses.ts';
import { hot } from '../contract/hot.ts';
import { type AuthDeps, authenticate } from '../credentials/authenticate.ts';
import { CredentialsRefused } from '../credentials/credentials-refused.ts';
import type { Principal } from '../credentials/key-directory.ts';
import type { RecordUse } from '../credentials/last-use.ts';
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
const authorizerEvent = hot(AuthorizerEvent);

interface Policy<Effect> {
  readonly Version: '2012-10-17';
  readonly Statement: readonly [
    { readonly Effect: Effect; readonly Action: 'execute-api:Invoke'; readonly Resource: string },
  ];
}

/** The result for accepted credentials: a policy for API Gateway, and the context that operations receive. */
export interface AllowedResult {
  readonly principalId: string;
  readonly policyDocument: Policy<'Allow'>;
  /** The key by which the usage plan counts requests. All API keys of a company share it. */
  readonly usageIdentifierKey: string;
  /** The credentials, for the operations. All values are strings, because API Gateway passes on nothing else. */
  readonly context: Readonly<Record<'companyId' | 'keyId' | 'scopes', string>> & {
    readonly [Name in 'keyVersion' | 'keyExpiresAtMs' | 'projectsADay' | 'isSuspended']?: string;
  };
}

/** The result for refused credentials. API Gateway answers ACCESS_DENIED with the reason. */
export interface DeniedResult {
  readonly principalId: 'refused';
  readonly policyDocument: Policy<'Deny'>;
  readonly context: { readonly reason: string };
}

export type AuthorizerResult = AllowedResult | DeniedResult;

/**
 * Makes the authorizer. Its policy allows or denies every route of the stage, because API Gateway caches the policy and applies
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
    let methodArn = '';
    let principal: Principal;
    try {
      const { headers, requestContext, ...read } = authorizerEvent().parse(event);
      methodArn = read.methodArn;
      requestId = requestContext.extendedRequestId ?? awsRequestId;
      traceId = readTraceparent(headerOf(headers ?? {}, 'traceparent')) ?? traceFrom(requestId);
      address = requestContext.identity?.sourceIp;
      principal = await authenticate(headerOf(headers ?? {}, 'authorization') ?? '', address, authentication);
    } catch (error) {
      const line = { operation: 'authorizer', requestId, traceId, durationMs: authentication.now() - began };
      if (!(error instanceof CredentialsRefused)) {
        const failure = failureFields(error);
        log({ ...line, alert: alertOf(failure), ...failure });
        throw error;
      }
      log({ ...line, ...(await refusalFields(error, address, authentication)) });
      const { companyId, keyId } = error.ids;
      if (error.refusal !== 'suspended' || companyId === undefined || keyId === undefined) {
        const context = { reason: refusalText(error.refusal) };
        return { principalId: 'refused', policyDocument: policy('Deny', methodArn), context };
      }
      // API Gateway has one status for everything that an authorizer denies, so the operations refuse the company.
      return allowed(methodArn, { companyId, keyId, scopes: [], isSuspended: true });
    }
    // Nothing else could finish this write: after the answer, Lambda freezes the process, perhaps for ever. It happens once
    // an hour for each key.
    await recordUse(principal.keyId);
    return allowed(methodArn, principal);
  };
}

function allowed(methodArn: string, principal: Principal): AllowedResult {
  const { companyId, keyId, keyVersion, keyExpiresAtMs, projectsADay, scopes, isSuspended } = principal;
  return {
    principalId: companyId,
    policyDocument: policy('Allow', methodArn),
    usageIdentifierKey: usagePlanKeyValue({ apiId: apiOf(methodArn), companyId }),
    context: {
      companyId,
      keyId,
      ...(keyVersion !== undefined && { keyVersion: String(keyVersion) }),
      ...(keyExpiresAtMs !== undefined && { keyExpiresAtMs: String(keyExpiresAtMs) }),
      ...(projectsADay !== undefined && { projectsADay: String(projectsADay) }),
      ...(isSuspended && { isSuspended: 'true' }),
      scopes: scopes.join(' '),
    },
  };
}

function policy<Effect extends 'Allow' | 'Deny'>(effect: Effect, methodArn: string): Policy<Effect> {
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: everyRoute(methodArn) }],
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
