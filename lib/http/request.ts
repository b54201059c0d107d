import * as z from 'zod/mini';
import { hot } from '../contract/hot.ts';
import { GATEWAY_LIMITS } from '../contract/limits.ts';
import type { ParameterValues, Query } from '../contract/parameters.ts';
import { type MediaType, scopesIn } from '../contract/routes.ts';
import type { Principal } from '../credentials/key-directory.ts';
import { type Deadline, deadlineAt, deadlineBefore } from '../service/deadline.ts';
import type { LogLine } from '../service/log.ts';
import { readTraceparent, traceFrom } from '../service/trace.ts';
import type { RefusalFields } from './refusal-fields.ts';

/**
 * The schema of headers and query parameters: lists of texts by name. `z.record` would drop the name `__proto__`. A
 * dropped parameter could turn the deletion of a task into the deletion of its project.
 */
const Lists = z.nullable(z.custom<Readonly<Record<string, readonly string[]>>>(isLists));

function isLists(value: unknown): boolean {
  const isList = (list: unknown) => Array.isArray(list) && list.every((text) => typeof text === 'string');
  return typeof value === 'object' && value !== null && Object.values(value).every(isList);
}

/** The parts of an API Gateway REST proxy event (payload format 1.0) that Segue reads. */
const ProxyEvent = z.object({
  resource: z.string(),
  /** The path, percent-encoded. Ids are read only from here and decoded once. `pathParameters` is decoded already. */
  path: z.string(),
  multiValueHeaders: Lists,
  /** The query parameters. API Gateway has decoded them. */
  multiValueQueryStringParameters: Lists,
  body: z.nullable(z.string()),
  isBase64Encoded: z.boolean(),
  requestContext: z.object({
    /** The id that API Gateway made. A client can choose `requestId`, by the header `X-Amzn-RequestId`. */
    extendedRequestId: z.optional(z.string()),
    /** When API Gateway received the request, in milliseconds since 1970. The local gateway leaves it out. */
    requestTimeEpoch: z.optional(z.number()),
    path: z.string(),
    domainName: z.optional(z.string()),
    identity: z.optional(z.object({ sourceIp: z.optional(z.string()) })),
    authorizer: z.nullish(z.record(z.string(), z.unknown())),
  }),
});
const proxyEvent = hot(ProxyEvent);
export type ProxyEvent = z.infer<typeof ProxyEvent>;

/** A request to an operation. */
export interface HttpRequest {
  /** The event of API Gateway, as far as it is read. */
  readonly event: ProxyEvent;
  readonly requestId: string;
  /** The trace of the header `traceparent`, or the one that this request starts. */
  readonly traceId: string;
  /** The base URL of this API as the client sees it, without a slash at the end. */
  readonly baseUrl: string;
  /** The path that the client sent, percent-encoded, with the stage or base path in front. */
  readonly publicPath: string;
  /** The query parameters before they are checked. */
  readonly query: Query;
  /** The IP address of the sender. It must not be logged. */
  readonly address: string | undefined;
  /** The authenticated API key; absent if the route needs no credentials. */
  readonly principal?: Principal;
  /** The deadline of the operation. It leaves time to send the result before `timeLimit`. */
  readonly deadline: Deadline;
  /** When API Gateway or Lambda stops waiting for the result. */
  readonly timeLimit: Deadline;
  /** The body as API Gateway passed it; `undefined` if there is none. */
  readonly received: { readonly text: string; readonly isBase64: boolean } | undefined;
  /** All values of each header, by its name in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /**
   * Returns the segment of the path in the place of `{name}`, still percent-encoded.
   * @throws {RangeError} if the path of the route has no `{name}`
   */
  segment(name: string): string;
  /** Returns the values of a header, joined by commas. */
  header(name: string): string | undefined;
  /** Returns all values of a header. */
  headerValues(name: string): readonly string[];
  /** The media type of the result. Set by `routeChecks`. */
  answerType: MediaType;
  /** The checked query parameters. Set by `routeChecks`. */
  parameters: Partial<ParameterValues>;
  /** The operation id for a problem with an unknown outcome. Set by `readOperationIdempotency`. */
  operationId: string | undefined;
  /** Fields that the operation adds to the request's log line. */
  logFields: Pick<LogLine, 'companyId' | 'source' | 'deliveryId' | 'signature'> & RefusalFields;
  /** The size of the decoded body, in bytes. */
  bodyBytes: number;
  /** The parsed body. */
  body: unknown;
}

/** The part of a Lambda context that `readRequest` uses. */
interface InvocationContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/**
 * The longest time that API Gateway's authorizer and the start of a function take together, in milliseconds: Lambda
 * ends each of them after 10 seconds.
 */
const MAX_START_MS = 20_000;

/**
 * Reads the request of an API Gateway event.
 * @throws if the event is not an API Gateway proxy event. Only a misconfigured integration sends other events.
 */
export function readRequest(event: unknown, context: InvocationContext, now: () => number): HttpRequest {
  const proxy = proxyEvent().parse(event);
  const { requestContext, multiValueHeaders } = proxy;
  const headers = new Map<string, readonly string[]>();
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), ...values]);
  }
  const header = (name: string) => headers.get(name)?.join(',');
  const principal = principalOf(requestContext.authorizer ?? {});
  const { extendedRequestId: requestId = context.awsRequestId } = requestContext;
  const nowMs = now();
  const gatewayMs = GATEWAY_LIMITS.timeoutMs - startMsOf(requestContext.requestTimeEpoch, nowMs);
  const limitMs = Math.min(gatewayMs, context.getRemainingTimeInMillis());
  return {
    event: proxy,
    requestId,
    traceId: readTraceparent(header('traceparent')) ?? traceFrom(requestId),
    baseUrl: baseUrlOf(proxy, header('x-forwarded-proto')),
    publicPath: requestContext.path,
    query: proxy.multiValueQueryStringParameters ?? {},
    address: requestContext.identity?.sourceIp,
    ...(principal && { principal }),
    deadline: deadlineBefore(limitMs, now, 'answer'),
    timeLimit: deadlineAt(nowMs + limitMs, now),
    // An empty body counts as no body.
    received: proxy.body ? { text: proxy.body, isBase64: proxy.isBase64Encoded } : undefined,
    headers,
    segment: (name) => segmentOf(proxy, name),
    header,
    headerValues: (name) => headers.get(name) ?? [],
    answerType: 'application/json',
    parameters: {},
    operationId: undefined,
    logFields: {},
    bodyBytes: 0,
    body: undefined,
  };
}

/**
 * Returns how much of API Gateway's time limit has passed, in milliseconds. The limit includes a cold start, which
 * Lambda does not count. A time that is negative, or too long for a start, counts as 0. It comes from a wrong clock or
 * from a slow upload, and neither may leave the request without time.
 */
function startMsOf(receivedMs: number | undefined, nowMs: number): number {
  const passedMs = nowMs - (receivedMs ?? nowMs);
  return passedMs >= 0 && passedMs <= MAX_START_MS ? passedMs : 0;
}

/**
 * Returns the segment of the path in the place of `{name}`. Counts from the end, because a base path may come before the
 * segments of the route. Returns an empty text if the path ends with a slash, which a REST API ignores to find the route.
 */
function segmentOf({ resource, path }: ProxyEvent, name: string): string {
  const places = resource.split('/');
  const place = places.indexOf(`{${name}}`);
  if (place === -1) throw new RangeError(`The route ${resource} has no {${name}}`);
  return path.endsWith('/') ? '' : (path.split('/').at(place - places.length) ?? '');
}

/** Reads the authenticated key from the context that Segue's authorizer adds; `undefined` without an authorizer. */
function principalOf(context: Readonly<Record<string, unknown>>): Principal | undefined {
  const { companyId, keyId, keyVersion, keyExpiresAtMs, projectsADay, scopes, isSuspended } = context;
  if (typeof companyId !== 'string' || typeof keyId !== 'string' || typeof scopes !== 'string') return undefined;
  return {
    companyId,
    keyId,
    ...(typeof keyVersion === 'string' && { keyVersion: Number(keyVersion) }),
    ...(typeof keyExpiresAtMs === 'string' && { keyExpiresAtMs: Number(keyExpiresAtMs) }),
    ...(typeof projectsADay === 'string' && { projectsADay: Number(projectsADay) }),
    ...(isSuspended === 'true' && { isSuspended: true }),
    scopes: scopesIn(scopes),
  };
}

/** Returns the base URL. In `requestContext.path`, the stage or base path comes before the segments of the route. */
function baseUrlOf({ resource, requestContext }: ProxyEvent, forwardedProto: string | undefined): string {
  // A REST API accepts `/x/` as `/x`, and keeps the slash in the path.
  const segments = requestContext.path.replace(/\/$/, '').split('/');
  const prefix = segments.slice(0, segments.length - (resource.split('/').length - 1)).join('/');
  const host = requestContext.domainName ?? '';
  const domain = /^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost';
  return `${forwardedProto === 'http' ? 'http' : 'https'}://${domain}${prefix}`;
}
