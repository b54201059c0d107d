import { gunzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import type { Route } from '../../../lib/contract/routes.ts';
import type { ProxyResult } from '../../../lib/http/http-result.ts';
import type { OperationId } from '../../../lib/operations/routes.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { documentOf } from '../../../lib/service/project-document.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import { routeOf } from '../../support/routes.ts';
import { checked, NOW_MS } from '../support.ts';

/** The parts of an event that differ from the default. */
export interface EventOptions {
  /** The value of every `{name}` in the path, percent-encoded. Default: `5`. */
  readonly segment?: string;
  readonly query?: Readonly<Record<string, readonly string[]>>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  readonly requestId?: string;
  /** The text before the route in the context's path: the stage, or the mapping of a custom domain. */
  readonly prefix?: string;
  readonly domainName?: string | undefined;
  /** The context from the authorizer; `null` for none. */
  readonly authorizer?: Readonly<Record<string, unknown>> | null;
}

/** The sender's address of every request. */
const ADDRESS = '203.0.113.7';

const everyScope = { companyId: 'acme', keyId: 'key-1', scopes: 'create read delete translate' };

/** Returns the event that API Gateway creates from a request to an operation. */
export function eventOf(id: OperationId, options: EventOptions = {}): object {
  return eventAt(routeOf(id), options);
}

/** Returns the event that API Gateway creates from a request to a route. */
export function eventAt(
  { method: httpMethod, path: resource }: Pick<Route, 'method' | 'path'>,
  options: EventOptions = {},
): object {
  const { segment = '5', prefix = '/v1', authorizer = everyScope, headers = {}, body } = options;
  const path = resource.replace(/\{\w+\}/g, () => segment);
  const multiValueHeaders = Object.entries({ ...(body && { 'Content-Type': 'application/json' }), ...headers });
  return {
    httpMethod,
    resource,
    path,
    multiValueHeaders: Object.fromEntries(multiValueHeaders.map(([name, value]) => [name, [value].flat()])),
    multiValueQueryStringParameters: options.query ?? null,
    body: body === undefined ? null : Buffer.from(body).toString('base64'),
    isBase64Encoded: body !== undefined,
    requestContext: {
      requestId: 'chosen by the client',
      extendedRequestId: options.requestId ?? 'request-1',
      path: prefix + path,
      ...('domainName' in options ? { domainName: options.domainName } : { domainName: 'api.example.com' }),
      requestTimeEpoch: NOW_MS,
      identity: { sourceIp: ADDRESS },
      authorizer,
    },
  };
}

/** Returns the context of an invocation with this much time left. */
export function contextOf(remainingMs = 30_000): Context {
  const unused = () => {};
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'test',
    functionVersion: '1',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:test',
    memoryLimitInMB: '256',
    awsRequestId: 'invocation-1',
    logGroupName: '',
    logStreamName: '',
    getRemainingTimeInMillis: () => remainingMs,
    done: unused,
    fail: unused,
    succeed: unused,
  };
}

const unexpected = (): never => {
  throw new Error('The door must not call this');
};

/** Returns a service with these methods. Every other method fails. */
export function fakeService(methods: Partial<ProjectService> = {}): ProjectService {
  return {
    startDateToleranceMs: LIMITS.startDateToleranceMs,
    create: unexpected,
    validate: unexpected,
    put: unexpected,
    planPut: unexpected,
    get: unexpected,
    segments: unexpected,
    progress: unexpected,
    list: unexpected,
    removal: unexpected,
    delete: unexpected,
    writeTranslations: unexpected,
    changeLanguage: unexpected,
    operation: unexpected,
    dailyAllowance: unexpected,
    ...methods,
  };
}

/** Returns the document of a project with an id. */
export const documentWith = (id: number) => documentOf(projectFrom(checked(), id, NOW_MS));

/** Returns the receipt of a deletion. */
export const receiptWith = (fields: Partial<Receipt> = {}): Receipt => ({
  scope: 'project',
  projectId: 5,
  customId: null,
  taskId: null,
  outcome: 'deleted',
  deletedAtUtc: null,
  removed: { targetLanguages: 1, segments: 2, tasks: 0 },
  requestedBy: { kind: 'key', id: 'key-1' },
  ...fields,
});

/** Returns a log that keeps its lines, and options with this log and a clock that stands still. */
export function keptLog() {
  const lines: LogLine[] = [];
  return { lines, options: { now: () => NOW_MS, log: (line: LogLine) => lines.push(line) } };
}

/** Returns an answer as a client gets it: decoded, and parsed if it is JSON. */
export function readAnswer({ statusCode, headers, body, isBase64Encoded }: ProxyResult) {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const text = (headers['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  const json: unknown = /json$/.test(headers['Content-Type'] ?? '') ? JSON.parse(text) : undefined;
  return { status: statusCode, headers, text, json };
}
