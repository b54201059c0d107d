import { GATEWAY_LIMITS } from '../contract/limits.ts';
import type { ParameterValues, Query } from '../contract/parameters.ts';
import { type MediaType, SCOPES } from '../contract/routes.ts';
import type { Principal } from '../credentials/key-directory.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { LogLine } from '../service/log.ts';
import { type ProxyEvent, readProxyEvent } from './event.ts';
import type { RefusalFields } from './refusal-fields.ts';

/** A request as the operations see it. */
export interface HttpRequest {
  readonly requestId: string;
  /** Where this API is, as its caller sees it: no slash at the end. */
  readonly baseUrl: string;
  /** The last segment of the path, still percent-encoded. */
  readonly lastSegment: string;
  readonly query: Query;
  /** The sender's address, which no log may have. */
  readonly address: string | undefined;
  /** Who asks; absent where the route asks for no credentials. */
  readonly principal?: Principal;
  readonly deadline: Deadline;
  /** The body as the gateway handed it over. */
  readonly received: { readonly text: string; readonly isBase64: boolean } | undefined;
  /** Every value of every header, by lower-case names. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The value of a header, several of one name joined with commas. */
  header(name: string): string | undefined;
  /** Every value of a header. */
  headerValues(name: string): readonly string[];
  /** The type that the answer is to have, once `Accept` is judged. */
  answerType: MediaType;
  /** What the query says, once it is read. */
  parameters: Partial<ParameterValues>;
  /** The operation to ask where the outcome is left open, once it is known that there is one. */
  operationId: string | undefined;
  /** What the log is told beside, once it is known. */
  known: Pick<LogLine, 'companyId' | 'source' | 'deliveryId'> & RefusalFields;
  /** The bytes of the body, once they are decoded; how many is logged. */
  bodyBytes: number;
  /** The JSON value of the body, once it is parsed. */
  body: unknown;
}

/** What a Lambda context is asked for. */
export interface InvocationContext {
  getRemainingTimeInMillis(): number;
}

/**
 * Kept back for the answer's own way. The gateway's time begins with the function's, when the whole request is there:
 * how long its upload took is no part of it.
 */
const MARGIN_MS = 500;

/** Makes the request of an event. */
export function readRequest(event: unknown, context: InvocationContext, now: () => number): HttpRequest {
  const proxy = readProxyEvent(event);
  const { requestContext, multiValueHeaders } = proxy;
  const headers = new Map<string, readonly string[]>();
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), ...values]);
  }
  const header = (name: string) => headers.get(name)?.join(',');
  const principal = principalOf(requestContext.authorizer ?? {});
  return {
    requestId: requestContext.requestId,
    baseUrl: baseUrlOf(proxy, header('x-forwarded-proto')),
    lastSegment: proxy.path.slice(proxy.path.lastIndexOf('/') + 1),
    query: proxy.multiValueQueryStringParameters ?? {},
    address: requestContext.identity?.sourceIp,
    ...(principal && { principal }),
    deadline: deadlineAt(
      now() + Math.min(GATEWAY_LIMITS.timeoutMs, context.getRemainingTimeInMillis()) - MARGIN_MS,
      now,
    ),
    // A body of no bytes is no body.
    received: proxy.body ? { text: proxy.body, isBase64: proxy.isBase64Encoded } : undefined,
    headers,
    header,
    headerValues: (name) => headers.get(name) ?? [],
    answerType: 'application/json',
    parameters: {},
    operationId: undefined,
    known: {},
    bodyBytes: 0,
    body: undefined,
  };
}

/** Reads what our authorizer put into the context. */
function principalOf(context: Readonly<Record<string, unknown>>): Principal | undefined {
  const { companyId, keyId, keyVersion, scopes } = context;
  if (typeof companyId !== 'string' || typeof keyId !== 'string' || typeof scopes !== 'string') return undefined;
  const granted = scopes.split(' ');
  return {
    companyId,
    keyId,
    ...(typeof keyVersion === 'string' && { keyVersion: Number(keyVersion) }),
    scopes: SCOPES.filter((scope) => granted.includes(scope)),
  };
}

/**
 * The path in the request's context begins with the stage, or with what a custom domain maps to it; the route's own
 * segments follow. What stands before them belongs to the base.
 */
function baseUrlOf({ resource, requestContext }: ProxyEvent, forwardedProto: string | undefined): string {
  // A REST API takes `/x/` for `/x` and leaves the slash where it was.
  const segments = requestContext.path.replace(/\/$/, '').split('/');
  const prefix = segments.slice(0, segments.length - (resource.split('/').length - 1)).join('/');
  const host = requestContext.domainName ?? '';
  const domain = /^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost';
  return `${forwardedProto === 'http' ? 'http' : 'https'}://${domain}${prefix}`;
}
