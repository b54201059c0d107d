import { randomBytes } from 'node:crypto';
import type { FunctionName } from '../../infra/functions/catalogue.ts';
import { type OperationId, routeOf } from '../../lib/contract/routes.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { smallProject } from '../support/projects.ts';

/** What a function gets first, and what comes of it. */
export interface FirstRequest {
  readonly name: FunctionName;
  /** Of a function with several operations. */
  readonly operation?: OperationId;
  readonly event: unknown;
  /** On AWS, with that table in front of a service that knows nothing: what its refusal becomes shows that it was asked. */
  readonly upstream?: number | string;
  /** On AWS, as the service itself, with a table that takes every change and has no item. */
  readonly hosted?: number | string;
}

const basic = `Basic ${Buffer.from(`acme:${createApiKey().apiKey}`).toString('base64')}`;
const principal = { companyId: 'acme', keyId: 'key', scopes: 'create read delete' };
const project = smallProject();

/** As much of a proxy event as Segue reads. */
function request(
  id: OperationId,
  lastSegment = '',
  headers: Readonly<Record<string, string[]>> = {},
  body: string | null = null,
) {
  const { method: httpMethod, path: resource } = routeOf(id);
  const path = resource.replace(/\{\w+\}/, lastSegment);
  const requestContext = { requestId: 'first', path, requestTimeEpoch: Date.now(), authorizer: principal };
  const event = { httpMethod, resource, path, multiValueHeaders: headers, multiValueQueryStringParameters: null };
  return { ...event, body, isBase64Encoded: false, requestContext };
}

const EVENTS = {
  list: request('listProjects'),
  byId: request('getProject', '1'),
  byCustomId: request('getProjectByCustomId', 'a'),
  creation: request('createProject', '', { 'Content-Type': ['application/json'] }, JSON.stringify(project)),
  operation: request('getOperation', 'A'.repeat(43)),
  deletion: request('deleteProject', '1'),
  deletionByCustomId: request('deleteProjectByCustomId', 'a'),
  languages: request('listLanguages'),
  token: request('obtainToken', '', { Authorization: [basic] }),
  refresh: request(
    'refreshToken',
    '',
    { 'Content-Type': ['application/json'] },
    JSON.stringify({ token: 'none of ours' }),
  ),
  message: request('receiveWebhook', 'none', {}, '{}'),
  health: request('health'),
  problemType: request('getProblemType', 'invalid-project'),
  description: request('getDescription'),
  reference: request('getReference'),
  authorization: {
    methodArn: 'arn:aws:execute-api:eu-west-1:000000000000:api/stage/GET/segments/projects',
    headers: { Authorization: basic },
    requestContext: { requestId: 'first' },
  },
  creationTask: { companyId: 'acme', project },
  deletionTask: { companyId: 'acme', scope: 'project', projectId: 1 },
  preparation: { companyId: 'acme', object: { key: 'manifests/acme/none.jsonl' } },
  line: {
    companyId: 'acme',
    file: { key: 'manifests/acme/none.jsonl', etag: 'none' },
    run: 'a',
    entry: { entry: '1', line: '1', offset: '0', bytes: '2', occurrence: '1' },
  },
  schedule: { source: 'aws.events' },
  stream: {
    Records: [
      {
        eventName: 'INSERT',
        dynamodb: { SequenceNumber: '1', Keys: { partition: { S: 'company/acme' }, sort: { S: 'event/1' } } },
      },
    ],
  },
  delivery: {
    Records: [
      {
        eventName: 'INSERT',
        dynamodb: { SequenceNumber: '1', Keys: { partition: { S: 'delivery/cms/1' }, sort: { S: 'state' } } },
      },
    ],
  },
  rotation: { Step: 'testSecret', SecretId: 'signing', ClientRequestToken: 'version' },
};

/** A project whose payload is too large for an item of the table, however well it is compressed. */
export const LARGE_CREATION = request(
  'createProject',
  '',
  { 'Content-Type': ['application/json'] },
  JSON.stringify({ ...project, segments: [{ content: randomBytes(500_000).toString('base64') }] }),
);

export const FIRST_REQUESTS: readonly FirstRequest[] = [
  {
    name: 'changeProjects',
    operation: 'createProject',
    event: EVENTS.creation,
    upstream: 502,
    hosted: 201,
  },
  { name: 'readProjects', operation: 'listProjects', event: EVENTS.list, upstream: 200, hosted: 200 },
  { name: 'readProjects', operation: 'getProject', event: EVENTS.byId, upstream: 404, hosted: 404 },
  {
    name: 'readProjects',
    operation: 'getProjectByCustomId',
    event: EVENTS.byCustomId,
    upstream: 404,
    hosted: 404,
  },
  // The key that the authorizer is said to have let in is no company's, and a deletion finds that out by itself.
  {
    name: 'changeProjects',
    operation: 'deleteProject',
    event: EVENTS.deletion,
    upstream: 401,
    hosted: 401,
  },
  {
    name: 'changeProjects',
    operation: 'deleteProjectByCustomId',
    event: EVENTS.deletionByCustomId,
    upstream: 401,
    hosted: 401,
  },
  { name: 'readProjects', operation: 'getOperation', event: EVENTS.operation, upstream: 404, hosted: 404 },
  { name: 'pages', operation: 'listLanguages', event: EVENTS.languages, upstream: 200, hosted: 200 },
  { name: 'tokens', operation: 'obtainToken', event: EVENTS.token, upstream: 401, hosted: 401 },
  { name: 'tokens', operation: 'refreshToken', event: EVENTS.refresh, upstream: 401, hosted: 401 },
  { name: 'receiveWebhook', event: EVENTS.message, upstream: 404, hosted: 404 },
  { name: 'pages', operation: 'health', event: EVENTS.health, upstream: 200, hosted: 200 },
  { name: 'pages', operation: 'getProblemType', event: EVENTS.problemType, upstream: 200, hosted: 200 },
  { name: 'pages', operation: 'getDescription', event: EVENTS.description, upstream: 200, hosted: 200 },
  { name: 'pages', operation: 'getReference', event: EVENTS.reference, upstream: 200, hosted: 200 },
  {
    name: 'authorizer',
    event: EVENTS.authorization,
    upstream: 'Unauthorized',
    hosted: 'Unauthorized',
  },
  {
    name: 'createProjectTask',
    event: EVENTS.creationTask,
    upstream: 'Segue.Terminal.upstream-refused',
    hosted: 'done',
  },
  {
    name: 'deleteProjectTask',
    event: EVENTS.deletionTask,
    upstream: 'already-absent',
    hosted: 'already-absent',
  },
  // What answers in the place of the bucket reads like no bucket: that may be over later.
  {
    name: 'prepareBulk',
    event: EVENTS.preparation,
    upstream: 'Segue.Retryable.unavailable',
    hosted: 'Segue.Retryable.unavailable',
  },
  {
    name: 'bulkLine',
    event: EVENTS.line,
    upstream: 'Segue.Retryable.unavailable',
    hosted: 'Segue.Retryable.unavailable',
  },
  { name: 'sweeper', event: EVENTS.schedule, hosted: 'done' },
  { name: 'publishEvents', event: EVENTS.stream, upstream: 'done', hosted: 'done' },
  { name: 'deliveries', event: EVENTS.delivery, upstream: 'done', hosted: 'done' },
  { name: 'reconciler', event: EVENTS.schedule, upstream: 'done' },
  { name: 'audit', event: EVENTS.schedule, upstream: 'upstream-refused' },
  { name: 'rotateSigningKeys', event: EVENTS.rotation, upstream: 'done', hosted: 'done' },
];
