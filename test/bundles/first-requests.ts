import { randomBytes } from 'node:crypto';
import consoleBuild from '#console' with { type: 'json' };
import viewer from '#viewer' with { type: 'json' };
import type { FunctionName } from '../../infra/functions/catalogue.ts';
import { AGENT_ROUTES, answerAgentRoute } from '../../lib/contract/agents.ts';
import { getConsoleFileRoute, getConsoleRoute } from '../../lib/contract/console.ts';
import type { Route } from '../../lib/contract/routes.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import type { OperationId } from '../../lib/operations/routes.ts';
import { smallProject } from '../support/projects.ts';
import { routeOf } from '../support/routes.ts';

/** The first event of a function, and its outcome for each service. */
export interface FirstRequest {
  readonly name: FunctionName;
  readonly event: unknown;
  /** The outcome in front of an upstream service that answers 404. */
  readonly upstream?: number | string;
  /** The outcome with a table that has one company and no project. */
  readonly hosted?: number | string;
}

const basic = `Basic ${Buffer.from(`acme:${createApiKey().apiKey}`).toString('base64')}`;
const principal = { companyId: 'acme', keyId: 'key', scopes: 'create read delete translate' };
const project = smallProject();
const JSON_TYPE = { 'Content-Type': ['application/json'] };
const MANIFEST = 'manifests/acme/none.jsonl';

interface RequestOptions {
  /** The value for the `{name}` in the path. */
  readonly segment?: string;
  readonly headers?: Readonly<Record<string, string[]>>;
  readonly body?: string;
}

/** Returns a proxy event with the fields that Segue reads. */
function eventOf(id: OperationId, options?: RequestOptions) {
  return eventAt(routeOf(id), options);
}

function eventAt(
  { method: httpMethod, path: resource }: Pick<Route, 'method' | 'path'>,
  { segment = '', headers = {}, body }: RequestOptions = {},
) {
  const path = resource.replace(/\{\w+\}/g, segment);
  const requestContext = { extendedRequestId: 'first', path, requestTimeEpoch: Date.now(), authorizer: principal };
  const event = { httpMethod, resource, path, multiValueHeaders: headers, multiValueQueryStringParameters: null };
  return { ...event, body: body ?? null, isBase64Encoded: false, requestContext };
}

/** Returns the event of a stream for one inserted item. */
function streamEvent(partition: string, sort: string) {
  const Keys = { partition: { S: partition }, sort: { S: sort } };
  return { Records: [{ eventName: 'INSERT', dynamodb: { SequenceNumber: '1', Keys } }] };
}

/** Returns the event of the queue for a job. */
function queueEvent(job: object) {
  return { Records: [{ messageId: 'message-1', body: JSON.stringify(job) }] };
}

/** A create whose payload is too large for an item of the table, even compressed. */
export const LARGE_CREATION = eventOf('createProject', {
  headers: JSON_TYPE,
  body: JSON.stringify({ ...project, segments: [{ content: randomBytes(500_000).toString('base64') }] }),
});

const SCHEDULE = { source: 'aws.events' };
const same = (outcome: number | string) => ({ upstream: outcome, hosted: outcome });

/** Returns the first request of an HTTP function. */
function http(operation: OperationId, outcomes: Pick<FirstRequest, 'upstream' | 'hosted'>, options?: RequestOptions) {
  return { name: routeOf(operation).function, event: eventOf(operation, options), ...outcomes };
}

const TRANSLATIONS = {
  headers: JSON_TYPE,
  body: JSON.stringify([{ segmentId: 1, languageCode: 'de', content: 'x', status: 'draft' }]),
};
const STATE = { headers: JSON_TYPE, body: JSON.stringify({ state: 'InProgress' }) };

const LOOK_UPS = ['lookUpDomains', 'lookUpUsers', 'lookUpCollaborators', 'lookUpStyleGuides'] as const;
/** Returns a message of the Model Context Protocol. */
const messageOf = (method: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: method === 'initialize' ? INITIALIZE : {} });
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'first', version: '1' } };

export const FIRST_REQUESTS: readonly FirstRequest[] = [
  http('createProject', { upstream: 502, hosted: 201 }, { headers: JSON_TYPE, body: JSON.stringify(project) }),
  http('listProjects', same(200)),
  http('getProject', same(404), { segment: '1' }),
  http('getProjectByCustomId', same(404), { segment: 'a' }),
  http('getSegments', same(404), { segment: '1' }),
  http('getSegmentsByCustomId', same(404), { segment: 'a' }),
  http('getProgress', same(404), { segment: '1' }),
  http('getProgressByCustomId', same(404), { segment: 'a' }),
  http('planDeletion', same(404), { segment: '1' }),
  http('planDeletionByCustomId', same(404), { segment: 'a' }),
  http('putProject', same(404), { segment: '1', headers: JSON_TYPE, body: JSON.stringify(project) }),
  http(
    'putProjectByCustomId',
    { upstream: 502, hosted: 201 },
    { segment: 'b', headers: JSON_TYPE, body: JSON.stringify(project) },
  ),
  http('listEvents', same(200)),
  http('createEventSecret', same(403)),
  // A deletion checks that the authorizer's key is still active, but the table has no key.
  http('deleteProject', same(401), { segment: '1' }),
  http('deleteProjectByCustomId', same(401), { segment: 'a' }),
  http('writeTranslations', { upstream: 501, hosted: 404 }, { segment: '1', ...TRANSLATIONS }),
  http('writeTranslationsByCustomId', { upstream: 501, hosted: 404 }, { segment: 'a', ...TRANSLATIONS }),
  http('changeLanguage', { upstream: 501, hosted: 404 }, { segment: '1', ...STATE }),
  http('changeLanguageByCustomId', { upstream: 501, hosted: 404 }, { segment: 'a', ...STATE }),
  http('getOperation', same(404), { segment: 'A'.repeat(43) }),
  http('getDailyLimits', same(200)),
  http('listLanguages', same(200)),
  ...LOOK_UPS.map((id) => http(id, same(501))),
  http('obtainToken', same(401), { headers: { Authorization: [basic] } }),
  http('refreshToken', same(401), { headers: JSON_TYPE, body: JSON.stringify({ token: 'unknown' }) }),
  http('obtainOAuthToken', same(401), {
    headers: { 'Content-Type': ['application/x-www-form-urlencoded'], Authorization: [basic] },
    body: 'grant_type=client_credentials',
  }),
  http('receiveWebhook', same(404), { segment: 'none', body: '{}' }),
  http('health', same(200)),
  http('getProblemType', same(200), { segment: 'invalid-project' }),
  http('getDescription', same(200)),
  http('getReference', same(200)),
  http('getReferenceFile', same(200), { segment: viewer.name }),
  http('listProblemTypes', same(200)),
  http('getSecurityText', same(404)),
  { name: 'console', event: eventAt(getConsoleRoute), ...same(200) },
  ...consoleBuild.files.map(({ name: segment }) => ({
    name: 'console' as const,
    event: eventAt(getConsoleFileRoute, { segment }),
    ...same(200),
  })),
  ...['initialize', 'tools/list', 'ping'].map((method) => ({
    name: 'agents' as const,
    event: eventAt(answerAgentRoute, { headers: JSON_TYPE, body: messageOf(method) }),
    ...same(200),
  })),
  ...AGENT_ROUTES.filter(({ method }) => method === 'GET').map((route) => ({
    name: 'agents' as const,
    event: eventAt(route),
    ...same(200),
  })),
  {
    name: 'authorizer',
    event: {
      methodArn: 'arn:aws:execute-api:eu-west-1:000000000000:api/stage/GET/segments/projects',
      headers: { Authorization: basic },
      requestContext: { extendedRequestId: 'first' },
    },
    ...same('done'),
  },
  {
    name: 'createProjectTask',
    event: { companyId: 'acme', project },
    upstream: 'Segue.Terminal.upstream-refused',
    hosted: 'done',
  },
  {
    name: 'putProjectTask',
    event: { companyId: 'acme', project: { ...project, customId: 'first' } },
    upstream: 'Segue.Terminal.upstream-refused',
    hosted: 'create',
  },
  {
    name: 'deleteProjectTask',
    event: { companyId: 'acme', scope: 'project', projectId: 1 },
    ...same('already-absent'),
  },
  {
    name: 'getProgressTask',
    event: { companyId: 'acme', projectId: 1 },
    ...same('Segue.Terminal.project-not-found'),
  },
  {
    name: 'waitForProjectTask',
    event: { companyId: 'acme', projectId: 1, taskToken: 'token' },
    ...same('Segue.Terminal.project-not-found'),
  },
  { name: 'reportWaits', event: SCHEDULE, ...same('done') },
  // The server's answer is not one of S3, so the bucket counts as unavailable.
  {
    name: 'prepareBulk',
    event: { companyId: 'acme', object: { key: MANIFEST } },
    ...same('Segue.Retryable.unavailable'),
  },
  {
    name: 'bulkLine',
    event: {
      companyId: 'acme',
      file: { key: MANIFEST, etag: 'none' },
      run: 'a',
      entry: { entry: '1', line: '1', offset: '0', bytes: '2', occurrence: '1' },
    },
    ...same('Segue.Retryable.unavailable'),
  },
  { name: 'sweeper', event: SCHEDULE, hosted: 'done' },
  { name: 'publishEvents', event: streamEvent('company/acme/events', 'feed/1'), ...same('done') },
  { name: 'publishEvents', event: streamEvent('company/acme/events', 'outbox/1/1'), ...same('done') },
  { name: 'publishEvents', event: streamEvent('jobs/1', '1/acme/1/1'), ...same('done') },
  { name: 'jobs', event: SCHEDULE, hosted: 'done' },
  { name: 'jobs', event: queueEvent({ companyId: 'acme', projectId: 1, atMs: 1 }), hosted: 'done' },
  { name: 'sendMail', event: SCHEDULE, hosted: 'done' },
  { name: 'sendResults', event: SCHEDULE, hosted: 'done' },
  { name: 'sendEvents', event: streamEvent('event-delivery/1/1', '1'), hosted: 'done' },
  { name: 'deliveries', event: streamEvent('delivery/cms/1', 'state'), ...same('done') },
  // The canary has no key yet, so it sends nothing.
  { name: 'canary', event: SCHEDULE, ...same('done') },
  { name: 'reconciler', event: SCHEDULE, upstream: 'done' },
  { name: 'audit', event: SCHEDULE, upstream: 'upstream-refused' },
  {
    name: 'rotateSigningKeys',
    event: { Step: 'testSecret', SecretId: 'signing', ClientRequestToken: 'version' },
    ...same('done'),
  },
];
