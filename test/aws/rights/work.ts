import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as z from 'zod/mini';
import viewer from '#viewer' with { type: 'json' };
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { getConsoleRoute } from '../../../lib/contract/console.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { JOBS } from '../../../lib/deliveries/jobs.ts';
import { destinationKey, destinationMappingKey } from '../../../lib/destinations/destinations.ts';
import { eventDeliveryKey, refOf } from '../../../lib/events/deliveries.ts';
import { FEED_PREFIX, feedEndKey, readFeedEnd } from '../../../lib/records/feed-record.ts';
import { companyPartition } from '../../../lib/records/keys.ts';
import { eventsPartition, OUTBOX_PREFIX, outboxWrite } from '../../../lib/records/outbox.ts';
import { KEY_RETENTION_MS, recordKey } from '../../../lib/records/request-record.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { SWEEP_MARKERS } from '../../../lib/storage/dynamodb/sweep-markers.ts';
import type { Item, Write } from '../../../lib/storage/port.ts';
import { type DeliveryRef, readState, stateKey } from '../../../lib/webhooks/delivery-records.ts';
import { inboxOn } from '../../../lib/webhooks/inbox.ts';
import { type SourceFetch, type SourceRecord, sourceKey } from '../../../lib/webhooks/sources.ts';
import { type EventOptions, eventAt } from '../../lib/http/fixture.ts';
import { portOf } from '../../lib/upstream/server.ts';
import { putSource } from '../../lib/webhooks/world.ts';
import { asObjects, type JsonObject, member, smallProject, target } from '../../support/projects.ts';
import { senderOf } from '../../support/senders.ts';
import { agents } from './agents.ts';
import { lostAnswers } from './lost-answers.ts';
import { type Doors, doorsOf, json, keyed, type Stack } from './stack.ts';

const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });
const FORM = 'application/x-www-form-urlencoded';
const OAuthToken = z.object({ access_token: z.string() });

/** Returns a project of two tasks, each too large for an item of the table, even compressed. */
const large = (fields: JsonObject = {}) =>
  smallProject({
    segments: ['a', 'b'].map((taskId) => ({ taskId, content: randomBytes(400_000).toString('base64') })),
    ...fields,
  });

/** Returns two teams whose names alone are too large for an item. */
const largeHead = () => {
  const team = Array.from({ length: 50 }, (_, n) => member({ name: randomBytes(500).toString('hex') }, n));
  return { targetLanguages: [target({ team }), target({ targetLanguageId: 1179, targetLanguageCode: 'fr-FR', team })] };
};

/**
 * Makes every function do all its kinds of work: small and large payloads, first and repeated requests, projects and
 * tasks, wrong credentials, used tokens, and lost answers.
 */
export async function work(stack: Stack): Promise<void> {
  const doors = await doorsOf(stack);
  await credentials(doors);
  await pages(doors);
  await projects(doors);
  await changes(doors);
  await agents(doors);
  await tasks(doors);
  await webhooks(doors);
  await deliveries(doors);
  await bulk(doors);
  if (stack.service === 'upstream') await lostAnswers(doors);
  else {
    await killed(doors);
    await jobs(doors);
  }
  await events(doors);
  if (stack.service === 'hosted') {
    await mail(doors);
    await results(doors);
  }
  await background(doors);
}

async function credentials({ functions, ask, basic }: Doors): Promise<void> {
  const methodArn = 'arn:aws:execute-api:eu-central-1:000000000000:api/stage/GET/segments/projects';
  const authorize = (Authorization: string) =>
    functions.call('authorizer', {
      methodArn,
      headers: { Authorization },
      requestContext: { extendedRequestId: 'request' },
    });
  const Policy = z.object({ principalId: z.literal('acme') });
  Policy.parse(await authorize(basic));
  await authorize(basic.slice(0, -8));
  const unknown = basicHeader({ companyId: 'acme', apiKey: createApiKey().apiKey });
  await authorize(unknown);
  const first = Pair.parse(await ask('obtainToken', 200, { headers: { Authorization: basic } }));
  await ask('obtainToken', 401, { headers: { Authorization: 'Basic YTpi' } });
  await ask('obtainToken', 401, { headers: { Authorization: unknown } });
  Policy.parse(await authorize(`Bearer ${first.AccessToken}`));
  const form = { body: 'grant_type=client_credentials', headers: { 'Content-Type': FORM, Authorization: basic } };
  const { access_token: token } = OAuthToken.parse(await ask('obtainOAuthToken', 200, form));
  Policy.parse(await authorize(`Bearer ${token}`));

  const refresh = (status: number, token: string, headers = {}) =>
    ask('refreshToken', status, { ...json({ token }), headers });
  const second = Pair.parse(await refresh(200, first.RefreshToken));
  const third = Pair.parse(await refresh(200, second.RefreshToken, keyed('r')));
  await refresh(200, second.RefreshToken, keyed('r'));
  await refresh(422, third.RefreshToken, keyed('r'));
  await refresh(401, second.RefreshToken, keyed('s'));
  await refresh(401, third.RefreshToken);
  await refresh(401, 'none of ours');
}

async function pages({ ask, functions }: Doors): Promise<void> {
  await ask('getDailyLimits', 200);
  await ask('listLanguages', 200);
  for (const id of ['lookUpDomains', 'lookUpUsers', 'lookUpCollaborators', 'lookUpStyleGuides'] as const)
    await ask(id, 501);
  await ask('health', 200);
  await ask('getProblemType', 200, { segment: 'invalid-project' });
  await ask('getDescription', 200);
  await ask('getReference', 200);
  await ask('getReferenceFile', 200, { segment: viewer.name });
  await ask('listProblemTypes', 200);
  await ask('getSecurityText', 404);
  const page = await functions.call('console', eventAt(getConsoleRoute, { authorizer: null }));
  z.object({ statusCode: z.literal(200) }).parse(page);
}

async function projects(doors: Doors): Promise<void> {
  const { ask, create } = doors;
  const small = smallProject({ customId: 'small', taskId: 'a' });
  const ids = [await create(small, keyed('k')), await create(large(), keyed('l'))];
  await ask('createProject', 409, json(small));
  await ask('createProject', 409, { ...json(small), query: { validateOnly: ['true'] } });
  await ask('createProject', 400, json({}));
  await create(small, keyed('k'));
  await ask('createProject', 422, { ...json(large()), headers: keyed('k') });
  await ask('createProject', 422, { ...json(large()), headers: keyed('l') });
  for (const key of ['k', 'l']) await ask('getOperation', 200, { segment: operationIdOf(key) });
  await ask('getOperation', 404, { segment: operationIdOf('none') });
  for (const id of ids) {
    await ask('getProject', 200, { segment: String(id) });
    await ask('getProject', 200, { segment: String(id), query: { taskId: ['a'] } });
    await ask('getSegments', 200, { segment: String(id), query: { limit: ['1'] } });
    await ask('getProgress', 200, { segment: String(id) });
    await ask('planDeletion', 200, { segment: String(id), query: { taskId: ['a'] } });
  }
  await ask('getProject', 404, { segment: '5' });
  await ask('getProjectByCustomId', 200, { segment: 'small' });
  await ask('getSegmentsByCustomId', 200, { segment: 'small' });
  await ask('getSegmentsByCustomId', 404, { segment: 'none' });
  await ask('getProgressByCustomId', 200, { segment: 'small', query: { taskId: ['a'] } });
  await ask('planDeletionByCustomId', 200, { segment: 'small' });
  const another = await create(large({ customId: 'large', ...largeHead() }));
  await ask('getProjectByCustomId', 200, { segment: 'large' });
  await ask('getProjectByCustomId', 404, { segment: 'none' });
  await ask('listProjects', 200);
  await ask('listProjects', 200, { query: { limit: ['1'] } });
  const segment = { segment: 'small' };
  const put = (project: JsonObject, query = {}, headers = {}) =>
    ask('putProjectByCustomId', 200, { ...segment, ...json(project), query, headers });
  await put(small, {}, keyed('p'));
  await put(small, {}, keyed('p'));
  await put(small, { revision: ['2'] });
  await put(small, { revision: ['1'] }, keyed('late'));
  await ask('putProjectByCustomId', 200, { ...segment, ...json(small), query: { validateOnly: ['true'] } });
  await deletions(doors, [...ids, another]);
  await ask('createProject', 410, { ...json(small), headers: keyed('k') });
  await ask('getOperation', 200, { segment: operationIdOf('k') });
}

/** The custom id of the project in `changes`: a request names the project and the language by the same text. */
const GERMAN = 'de-DE';

/** The number of writes after which a request folds an earlier one. */
const MANY = 31;

/** Writes translations and changes languages, which only the hosted service supports. */
async function changes({ ask, create, service }: Doors): Promise<void> {
  const at = { segment: GERMAN };
  const state = { ...at, ...json({ state: 'InProgress' }) };
  if (service === 'upstream') {
    await ask('writeTranslationsByCustomId', 501, { ...at, ...json(germanOf('a')), headers: keyed('t') });
    await ask('changeLanguageByCustomId', 501, state);
    return;
  }
  await create(smallProject({ customId: GERMAN, segments: ['a', 'b', ...UNCOUNTED].map(inTask) }));
  const write = (content: string, headers = {}) =>
    ask('writeTranslationsByCustomId', 200, { ...at, ...json(germanOf('a', content)), headers });
  await write('x', keyed('t'));
  await write('x', keyed('t'));
  await ask('getOperation', 200, { segment: operationIdOf('t') });
  await ask('changeLanguageByCustomId', 200, { ...state, headers: keyed('u') });
  await ask('changeLanguageByCustomId', 200, { ...state, headers: keyed('u') });
  for (let n = 0; n < MANY; n++) await write(n % 2 === 0 ? 'x' : randomBytes(400_000).toString('base64'));
  await ask('getSegmentsByCustomId', 200, at);
  await ask('getProgressByCustomId', 200, at);
  await ask('deleteProjectByCustomId', 204, { ...at, query: { taskId: ['a'] } });
  await ask('deleteProjectByCustomId', 204, at);
}

/** More tasks than the record of a project counts. Their translations are counted when they are read. */
const UNCOUNTED = Array.from({ length: 1_001 }, (_, n) => `t${n}`);

/** Returns a segment of a task, with the task's id as its custom id. */
const inTask = (taskId: string) => ({ content: taskId, taskId, customId: taskId.slice(0, 255) });

/** Returns the German translation of a segment. */
const germanOf = (segmentCustomId: string, content = 'x') => [
  { segmentCustomId, languageCode: GERMAN, content, status: 'translated' },
];

/** Reads the operation of a killed attempt, which is reported as failed. */
async function killed({ ask, table }: Doors): Promise<void> {
  const segment = operationIdOf('killed');
  const data = { operation: 'create', fingerprint: 'f', leaseEndsAtMs: 1 };
  const key = recordKey(companyPartition('acme'), segment);
  await table.commit({ writes: [{ kind: 'insert', key, data, expiresAtMs: Date.now() + KEY_RETENTION_MS }] });
  z.object({ status: z.literal('failed') }).parse(await ask('getOperation', 200, { segment }));
}

async function deletions({ ask, create, principal }: Doors, ids: readonly number[]): Promise<void> {
  const deletion =
    (name: 'deleteProject' | 'deleteProjectByCustomId') =>
    (status: number, segment: string, options: EventOptions = {}) =>
      ask(name, status, { segment, ...options });
  const remove = deletion('deleteProject');
  await remove(404, '5');
  for (const id of ids) {
    await remove(404, String(id), { query: { taskId: ['none'] } });
    await remove(204, String(id), { query: { taskId: ['a'] } });
    // Without the version of the key, the function looks the version up.
    await remove(204, String(id), { headers: keyed(`d${id}`), authorizer: principal });
    await remove(204, String(id), { headers: keyed(`d${id}`) });
    await ask('getOperation', 200, { segment: operationIdOf(`d${id}`) });
  }
  const removeByCustomId = deletion('deleteProjectByCustomId');
  await removeByCustomId(404, 'none');
  for (const project of [smallProject({ taskId: 'a' }), large()]) {
    await create({ ...project, customId: 'c' });
    await removeByCustomId(204, 'c', { query: { taskId: ['a'] } });
    await removeByCustomId(204, 'c', { authorizer: principal });
  }
}

/** Returns a large project whose list of tasks alone is too large for an item. */
const ofManyTasks = () =>
  smallProject({
    segments: [
      ...['a', 'b'].map((taskId) => ({ ...inTask(taskId), content: randomBytes(400_000).toString('base64') })),
      ...Array.from({ length: 150 }, () => inTask(randomBytes(500).toString('hex'))),
    ],
  });

/** Translates the segment `a` of a project. Afterwards the hosted service counts the translations of a task. */
async function translate({ ask, service }: Doors, customId: string): Promise<void> {
  if (service === 'hosted')
    await ask('writeTranslationsByCustomId', 200, { segment: customId, ...json(germanOf('a')) });
}

/** Reports waits, of which one is for a project that is done. */
async function reportWaits(doors: Doors): Promise<void> {
  const { upstream, functions } = doors;
  const project = smallProject({ customId: 'done', segments: [inTask('a')] });
  await functions.call('createProjectTask', { companyId: 'acme', project });
  await translate(doors, 'done');
  const wait = { companyId: 'acme', customId: 'done', progress: 1, taskToken: 'done' };
  await functions.call('waitForProjectTask', wait);
  upstream.fates.read = async (reach) => {
    const answer = await reach();
    const fields: object = JSON.parse(Buffer.from(answer.body).toString());
    return { ...answer, body: Buffer.from(JSON.stringify({ ...fields, total: 50 })) };
  };
  Nothing.parse(await functions.call('reportWaits', { source: 'aws.events' }));
  upstream.fates = {};
  await functions.call('deleteProjectTask', { companyId: 'acme', scope: 'project', customId: 'done' });
}

async function tasks(doors: Doors): Promise<void> {
  const { call } = doors.functions;
  const { projectsFrom } = doors.aws;
  const at = (state: string) => ({ companyId: 'acme', execution: { id: 'execution', state } });
  const Created = z.object({ projectId: z.number() });
  const Deleted = z.object({ outcome: z.enum(['deleted', 'already-absent']) });
  const Progress = z.object({ total: z.number() });
  const Registered = z.object({ registered: z.literal(true) });
  const Put = z.object({ outcome: z.enum(['update', 'unchanged']) });
  const remove = async (command: object) => Deleted.parse(await call('deleteProjectTask', command));
  const sent = Object.entries({
    task: smallProject({ segments: ['a', ...UNCOUNTED].map(inTask) }),
    tasks: ofManyTasks(),
  });
  for (const [n, [customId, project]] of sent.entries()) {
    const command = { ...at(`create ${n}`), project: { ...project, customId } };
    const { projectId } = Created.parse(await call('createProjectTask', command));
    Created.parse(await call('createProjectTask', command));
    await translate(doors, customId);
    Progress.parse(await call('getProgressTask', { ...at(`progress ${projectId}`), projectId }));
    // One wait is over, the execution of another was stopped, and a third one goes on.
    for (const [taskToken, progress] of [
      ['over', 1],
      ['stopped', 100],
      ['held', 100],
    ] as const) {
      const wait = { companyId: 'acme', projectId, progress, taskToken: `${taskToken} ${n}` };
      Registered.parse(await call('waitForProjectTask', wait));
    }
    await reportWaits(doors);
    Registered.parse(await call('waitForProjectTask', { companyId: 'acme', projectId, taskToken: `deleted ${n}` }));
    // In front of an upstream service, an equal project is unchanged, and another one is not supported.
    const put = { ...at(`put ${n}`), project: { ...project, customId } };
    Put.parse(await call('putProjectTask', put));
    if (doors.service === 'hosted') {
      const segments = asObjects(project['segments']).slice(0, -1);
      Put.parse(await call('putProjectTask', { ...at(`fewer ${n}`), project: { ...project, customId, segments } }));
      Put.parse(await call('putProjectTask', { ...at(`more ${n}`), project: { ...project, customId } }));
    }
    await remove({ companyId: 'acme', scope: 'task', projectId, taskId: 'a' });
    const whole = { ...at(`delete ${projectId}`), scope: 'project', projectId };
    await remove(whole);
    await remove(whole);
    Nothing.parse(await call('reportWaits', { source: 'aws.events' }));
  }
  await remove({ companyId: 'acme', scope: 'project', customId: 'none' });

  const key = 'a project.json';
  projectsFrom.write(key, Buffer.from(JSON.stringify(smallProject())));
  for (const version of [{}, { versionId: '1' }]) {
    const projectFrom = { bucket: projectsFrom.bucket, key, ...version };
    Created.parse(await call('createProjectTask', { companyId: 'acme', projectFrom }));
  }
  projectsFrom.write(key, Buffer.from(JSON.stringify(smallProject({ customId: 'put from S3' }))));
  const projectFrom = { bucket: projectsFrom.bucket, key };
  z.object({ outcome: z.literal('create') }).parse(await call('putProjectTask', { companyId: 'acme', projectFrom }));
  await putTasks(doors);
}

/** Puts small and large projects: new and equal ones, with and without revision, and in the hosted service changes of them. */
async function putTasks({ functions: { call }, aws: { projectsFrom }, service }: Doors): Promise<void> {
  const Put = z.object({ outcome: z.enum(['create', 'update', 'unchanged', 'outdated']) });
  let count = 0;
  const put = async (project: JsonObject, fields: object = {}) => {
    const execution = { id: 'execution', state: `revised put ${++count}` };
    const command = { companyId: 'acme', execution, project, ...fields };
    for (const _ of [1, 2]) Put.parse(await call('putProjectTask', command));
  };
  const small = smallProject({ customId: 'put', segments: ['a', 'b'].map(inTask) });
  for (const project of [small, large({ customId: 'large put' })]) {
    await put(project);
    await put(project, { revision: 2 });
    await put(project, { revision: 1 });
    if (service === 'upstream') continue;
    await put(smallProject({ customId: String(project['customId']), segments: [inTask('c')] }));
    await put(project, { revision: 3 });
  }
  projectsFrom.write('put.json', Buffer.from(JSON.stringify(smallProject({ customId: 'put from an object' }))));
  for (const version of [{}, { versionId: '1' }]) {
    const projectFrom = { bucket: projectsFrom.bucket, key: 'put.json', ...version };
    Put.parse(await call('putProjectTask', { companyId: 'acme', projectFrom }));
  }
}

async function bulk(doors: Doors): Promise<void> {
  const { call } = doors.functions;
  const { manifests } = doors.aws;
  const Prepared = z.looseObject({ index: z.string(), file: z.unknown(), run: z.string() });
  const Line = z.object({
    outcome: z.enum(['created', 'deleted', 'already-absent', 'update', 'unchanged', 'outdated']),
  });
  const first = smallProject({ customId: 'bulk', segments: ['a', ...UNCOUNTED].map(inTask) });
  const sent = [first, large()].map((create) => ({ create }));
  const whole = { delete: { scope: 'project', customId: 'bulk' } };
  const task = { delete: { scope: 'task', customId: 'bulk', taskId: 'a' } };
  const puts = [{ put: first }, { put: first, revision: 2 }, { put: first, revision: 1 }];
  const lines = [...sent, ...puts, task, whole, whole].map((line) => JSON.stringify(line));
  manifests.write('manifests/acme/a.jsonl', Buffer.from(lines.join('\n')));
  const object = { key: 'manifests/acme/a.jsonl' };
  const { file, run } = Prepared.parse(await call('prepareBulk', { companyId: 'acme', object }));
  for (const [index, line] of lines.entries()) {
    const offset = lines.slice(0, index).reduce((sum, { length }) => sum + length + 1, 0);
    const entry = {
      entry: index + 1,
      line: index + 1,
      offset,
      bytes: line.length,
      occurrence: index === lines.length - 1 ? 2 : 1,
    };
    for (const _ of [1, 2]) Line.parse(await call('bulkLine', { companyId: 'acme', file, run, entry }));
    if (index === 0) await translate(doors, 'bulk');
    if (index === 1) await call('bulkLine', { companyId: 'acme', file, run, entry: { ...entry, bytes: 1 } });
  }
}

const sender = senderOf('github');

/** The record of a source, as the command line writes it. */
export const SOURCE = {
  companyId: 'acme',
  scheme: sender.settings,
  sourceId: '0123456789ab',
  secretsAt: 'cms-0123456789ab',
  liveSecrets: 1,
  createdAtUtc: '2026-11-20T09:30:00.000Z',
} satisfies SourceRecord;

/** A fetch, as the command line writes it. Nobody answers at its host, after Segue has read the secret. */
export const FETCH = {
  url: 'body.url',
  hosts: ['127.0.0.1:1024'],
  header: 'authorization',
  secretsAt: 'cms-ba9876543210',
} satisfies SourceFetch;

/**
 * Sends webhook messages: a first one, a repeated one, a forged one, one of an unknown source, and equal ones of a source
 * that recognises them for a minute.
 */
async function webhooks({ ask, table }: Doors): Promise<void> {
  await table.commit({ writes: [{ kind: 'insert', key: sourceKey('cms'), data: SOURCE }] });
  const message = { body: '{}', atMs: 0, id: '' };
  const sent = { segment: 'cms', body: message.body, authorizer: null, headers: sender.sign(message) };
  await ask('receiveWebhook', 202, sent);
  await ask('receiveWebhook', 202, sent);
  await ask('receiveWebhook', 401, { ...sent, body: '{ }' });
  await ask('receiveWebhook', 404, { ...sent, segment: 'none' });
  const brief = { ...SOURCE, dedupeMinutes: 1 };
  await table.commit({ writes: [{ kind: 'insert', key: sourceKey('brief'), data: brief }] });
  for (const _ of [1, 2]) await ask('receiveWebhook', 202, { ...sent, segment: 'brief' });
}

/** A mapping that repeats each text three times, so that a message becomes too large for an item. */
const THRICE = 'body ~> |create.segments|{ "content": content & content & content }|';

/** Works on deliveries of small and large projects, of deletions, and of a faulty project. */
async function deliveries(doors: Doors): Promise<void> {
  const { functions, aws, table } = doors;
  await putSource(table, { name: 'cms', companyId: 'acme', mapping: THRICE, fetch: FETCH });
  const store = dynamoDbItems(aws.deliveries.tableName, aws.deliveries.client);
  const inbox = inboxOn(store, { now: Date.now });
  const large = {
    segments: [
      ...['a', 'b'].map((taskId) => ({ ...inTask(taskId), content: randomBytes(70_000).toString('base64') })),
      ...UNCOUNTED.map(inTask),
    ],
  };
  const bodies: readonly (readonly [id: string, body: unknown, kind: string])[] = [
    ['create', { create: smallProject({ customId: 'by webhook' }) }, 'done'],
    ['create large', { create: smallProject({ customId: 'large by webhook', ...large }) }, 'done'],
    ['put', { put: smallProject({ customId: 'put by webhook' }) }, 'done'],
    ['put later', { put: smallProject({ customId: 'put by webhook' }), revision: 2 }, 'done'],
    ['put late', { put: smallProject({ customId: 'put by webhook' }), revision: 1 }, 'done'],
    ['delete task', { delete: { scope: 'task', customId: 'large by webhook', taskId: 'a' } }, 'done'],
    ['delete large', { delete: { scope: 'project', customId: 'large by webhook' } }, 'done'],
    ['delete', { delete: { scope: 'project', customId: 'by webhook' } }, 'done'],
    ['again', { delete: { scope: 'project', customId: 'by webhook' } }, 'done'],
    ['bad', { create: {} }, 'dead'],
    ['fetch', { url: 'http://127.0.0.1:1024/' }, 'open'],
  ];
  for (const [id, body, kind] of bodies) {
    const ref: DeliveryRef = { source: 'cms', id };
    const bytes = Buffer.from(JSON.stringify(body));
    await inbox.accept({ ...ref, companyId: 'acme', receivedAtMs: Date.now(), headers: {}, body: bytes });
    const item = await store.read(stateKey(ref));
    NoFailures.parse(await functions.call('deliveries', inserted(item ? [item] : [])));
    z.object({ kind: z.literal(kind) }).parse(readState((await store.read(stateKey(ref)))?.data));
    if (id === 'create large') await translate(doors, 'large by webhook');
  }
  Nothing.parse(await functions.call('deliveries', { source: 'aws.events' }));
}

const ALL = { limit: 100, maxBytes: 1_000_000 };
const Nothing = z.undefined();
const NoFailures = z.object({ batchItemFailures: z.tuple([]) });

/** Returns a project that the service translates. */
const automatic = (fields: JsonObject) => ({
  ...fields,
  targetLanguages: [target({ serviceAutomaticTranslation: true })],
});

/** Runs jobs: translations of small and large projects, of an edited one, and the removal of deleted ones. */
async function jobs({ functions: { call }, table, ask, create }: Doors): Promise<void> {
  const text = (bytes: number) => `<p>${randomBytes(bytes).toString('base64')} {name}</p>`;
  const small = smallProject({ segments: [{ taskId: 'a', content: 'A word' }, { content: text(8) }] });
  const large = smallProject({
    segments: ['0', '1'].map((taskId) => ({
      taskId,
      content: Array.from({ length: 12 }, () => text(45_000)).join(''),
    })),
  });
  const ids = [await create(automatic(small)), await create(automatic(large))];
  await create(smallProject({ customId: GERMAN, segments: ['a'].map(inTask) }));
  await ask('writeTranslationsByCustomId', 200, { segment: GERMAN, ...json(germanOf('a')) });
  const relayed = async () => {
    const open = await Promise.all(JOBS.partitions().map((partition) => table.list(partition, { prefix: '', ...ALL })));
    const items = open.flatMap((page) => page.items);
    NoFailures.parse(await call('publishEvents', inserted(items)));
    const Records = items.map((item, n) => ({ messageId: `${n}`, body: JSON.stringify(JOBS.entryAt(item)) }));
    for (const record of Records) NoFailures.parse(await call('jobs', { Records: [record] }));
  };
  await relayed();
  for (const id of ids) {
    const progress = await ask('getProgress', 200, { segment: String(id) });
    z.object({ total: z.literal(100) }).parse(progress);
    await ask('deleteProject', 204, { segment: String(id), query: { taskId: [id === ids[0] ? 'a' : '0'] } });
    await ask('deleteProject', 204, { segment: String(id) });
  }
  await relayed();
  Nothing.parse(await call('jobs', { source: 'aws.events' }));
}

/** Adds an event to the outbox. Its receiver is no public address, so nothing is sent to it. */
async function addEvent({ table }: Doors, projectId: number): Promise<void> {
  const event = { type: 'project.created', sequence: 1, data: { projectId }, eventUrl: 'https://127.0.0.1/' } as const;
  const deps = { now: Date.now, newEventId: randomUUID };
  await table.commit({ writes: [outboxWrite(deps, { companyId: 'acme', requestId: 'request' }, event)] });
}

/** Reads the feed of events, makes secrets that sign events, and publishes and sends events. */
async function events(doors: Doors): Promise<void> {
  const { ask, functions, aws, table, service } = doors;
  await addEvent(doors, 1);
  await ask('listEvents', 200, { query: { limit: ['1'] } });
  await ask('createEventSecret', 201);
  await ask('createEventSecret', 201);
  await addEvent(doors, 2);
  for (const prefix of [OUTBOX_PREFIX, FEED_PREFIX]) {
    const { items } = await table.list(eventsPartition('acme'), { prefix, ...ALL });
    NoFailures.parse(await functions.call('publishEvents', inserted(items)));
  }
  if (service === 'upstream') return;
  const deliveries = dynamoDbItems(aws.deliveries.tableName, aws.deliveries.client);
  for (const projectId of [1, 2]) {
    const ref = refOf({ companyId: 'acme', eventUrl: 'https://127.0.0.1/', event: { ...SENT, data: { projectId } } });
    const delivery = await deliveries.read(eventDeliveryKey(ref));
    NoFailures.parse(await functions.call('sendEvents', inserted(delivery ? [delivery] : [])));
  }
  Nothing.parse(await functions.call('sendEvents', { source: 'aws.events' }));
}

/** Assigns the tasks of a managed project whose head is only in the bucket, and sends e-mails about that. */
async function mail({ functions: { call }, table, create }: Doors): Promise<void> {
  const person = (_: unknown, n: number) => member({ name: randomBytes(700).toString('base64') }, n);
  const targetLanguages = ['de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'fi', 'pl', 'cs', 'el'].map(
    (targetLanguageCode) => ({
      targetLanguageCode,
      managedProject: true,
      serviceTranslation: true,
      team: Array.from({ length: 50 }, person),
    }),
  );
  await create(smallProject({ customId: 'managed', targetLanguages }));
  Nothing.parse(await call('jobs', { source: 'aws.events' }));
  await call('getProgressTask', { companyId: 'acme', customId: 'managed' });
  await call('waitForProjectTask', { companyId: 'acme', customId: 'managed', taskToken: 'managed' });
  Nothing.parse(await call('reportWaits', { source: 'aws.events' }));
  const { items } = await table.list(eventsPartition('acme'), { prefix: OUTBOX_PREFIX, ...ALL });
  NoFailures.parse(await call('publishEvents', inserted(items)));
  Nothing.parse(await call('sendMail', { source: 'aws.events' }));
}

/** The record of the destination in `results`. */
export const DESTINATION = {
  destinationId: 'aaaaaaaaaaaa',
  companyId: 'acme',
  on: ['language.completed'],
  secretHeader: 'Authorization',
  secretsAt: 'cms-0123456789ab',
  createdAtUtc: '2026-11-20T09:30:00.000Z',
};

/** Sends the results of a small and a large project to a destination twice, and forgets one of them. */
async function results(doors: Doors): Promise<void> {
  const { functions, table, create, ask } = doors;
  const receiver = createServer((_, response) => void response.writeHead(200).end());
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${portOf(receiver.address())}`;
  const name = 'cms';
  const mapping = `{ "method": "PUT", "url": "http://${host}/", "body": $count(segments) }`;
  const key = feedEndKey('acme');
  const end = await table.read(key);
  const feed = {
    ...readFeedEnd(end?.data),
    destinations: [{ id: DESTINATION.destinationId, name, on: DESTINATION.on }],
  };
  const writes: Write[] = [
    { kind: 'put', key: destinationKey(name), data: { ...DESTINATION, hosts: [host] } },
    { kind: 'put', key: destinationMappingKey(name, DESTINATION), data: { mapping } },
    { kind: 'put', key, data: feed },
  ];
  await table.commit({ writes });
  const small = smallProject({ customId: 'result', segments: [inTask('a')] });
  const ids = [await create(small), await create(large({ customId: 'large result' }))];
  await ask('writeTranslationsByCustomId', 200, { segment: 'result', ...json(germanOf('a')) });
  const move = async () => {
    const { items } = await table.list(eventsPartition('acme'), { prefix: OUTBOX_PREFIX, ...ALL });
    NoFailures.parse(await functions.call('publishEvents', inserted(items)));
    Nothing.parse(await functions.call('sendResults', { source: 'aws.events' }, 55_000));
  };
  for (const round of [1, 2]) {
    for (const projectId of ids) await addCompletion(doors, projectId, round);
    await move();
  }
  await ask('deleteProject', 204, { segment: String(ids[0]) });
  await move();
  receiver.close();
}

/** Adds an event of a completed language to the outbox, as the next event of its project. */
async function addCompletion({ table }: Doors, projectId: number, round: number): Promise<void> {
  const data = { projectId, languageId: 53, languageCode: 'de-DE', segments: 1 };
  const event = { type: 'language.completed', sequence: 1_000 + round, data } as const;
  const deps = { now: Date.now, newEventId: randomUUID };
  await table.commit({ writes: [outboxWrite(deps, { companyId: 'acme', requestId: 'request' }, event)] });
}

const SENT = { id: 'event', type: 'project.created', timestamp: '', sequence: 1 } as const;

/** Runs rotation, the canary without a key, and sweeps. */
async function background({ functions: { call }, table, service }: Doors): Promise<void> {
  for (const Step of ['createSecret', 'setSecret', 'testSecret', 'finishSecret']) {
    const event = { Step, SecretId: 'StoresSigningSecret', ClientRequestToken: 'second' };
    Nothing.parse(await call('rotateSigningKeys', event));
  }
  Nothing.parse(await call('canary', { source: 'aws.events' }));
  if (service === 'upstream') return;
  const marks = await Promise.all(
    SWEEP_MARKERS.partitions.map((partition) => table.list(partition, { prefix: '', ...ALL })),
  );
  NoFailures.parse(await call('sweeper', inserted(marks.flatMap(({ items }) => items).slice(0, 1))));
  Nothing.parse(await call('sweeper', { source: 'aws.events' }));
}

/**
 * Returns the event of a stream for inserted items.
 * @throws {RangeError} if there are none
 */
function inserted(items: readonly Item[]) {
  if (items.length === 0) throw new RangeError('The stream has no items');
  return {
    Records: items.map(({ partition, sort }, n) => ({
      eventName: 'INSERT',
      dynamodb: { SequenceNumber: String(n), Keys: { partition: { S: partition }, sort: { S: sort } } },
    })),
  };
}
