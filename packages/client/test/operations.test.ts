import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBasic } from '../../../lib/contract/basic-credentials.ts';
import { type OperationId, ROUTES } from '../../../lib/operations/routes.ts';
import { empty, json, text } from '../../../test/lib/upstream/server.ts';
import { hasDocumentedTypes } from '../hosted-types.ts';
import { SegueClient } from '../segue-client.ts';
import type { WhatToDelete } from '../types.ts';
import { errorOf, KEY, newProject, project, receipt, refuse, world } from './world.ts';

const tokens = { AccessToken: 'access', RefreshToken: 'refresh', expiresIn: 1_800 };
const { segments: _, ...head } = project;
const [targetLanguage] = project.targetLanguages;
const entry = { segmentId: 7, languageCode: 'de', content: 'Grüße', status: 'draft' };
const translation = {
  id: 8,
  segmentId: 7,
  segmentCustomId: null,
  languageId: 1_093,
  languageCode: 'de',
  content: 'Grüße',
  status: 'draft',
  version: 1,
};
const quote = {
  words: 1,
  characters: 5,
  repeats: 0,
  automaticTranslation: { engine: 'deepl', characters: 5, cost: { amount: 0.0001, currency: 'EUR' } },
};
const valid = { valid: true, segments: 1, targetLanguages: 1, characters: 5, quote };
const segment = {
  source: project.segments[0],
  translations: [
    { id: null, languageId: 53, languageCode: 'de-DE', content: null, status: 'untranslated', version: 0 },
  ],
};
const event = {
  id: 'e',
  type: 'project.created',
  timestamp: '2026-11-20T09:30:00.000Z',
  sequence: 1,
  data: { projectId: 1 },
};
const progress = { total: 0, tasks: [], languages: [{ languageId: 53, languageCode: 'de-DE', progress: 0 }] };
const language = { id: 40, langCode: 'en-GB', descriptiveName: 'English' };
const plan = {
  scope: 'project',
  projectId: 1_000,
  customId: null,
  taskId: null,
  removes: { targetLanguages: 1, segments: 3, tasks: 0 },
  plan: 'WzEwMDBd',
};
const counts = {
  segments: { kept: 1, changed: 0, added: 2, removed: 0 },
  targetLanguages: { kept: 1, added: 0, removed: 0 },
  quote: {
    words: 8,
    characters: 60,
    repeats: 0,
    automaticTranslation: { engine: 'deepl', characters: 20, cost: null },
  },
};
const put = { outcome: 'update', ...counts, projectId: 1_000, customId: 'a' };
const putPlan = { valid: true, outcome: 'create', ...counts, plan: 'W251bGxd' };
const outdated = { outcome: 'outdated', revision: 9 };
const page = {
  type: 'https://segue.example/problems/too-large',
  title: 'T',
  status: 413,
  retryable: false,
  outcome: 'not-applied',
  explanation: 'E',
};
const allowance = {
  projectsADay: 100,
  projectsToday: 12,
  automaticCharactersADay: null,
  automaticCharactersToday: null,
  nextDayAtUtc: '2026-11-21T00:00:00.000Z',
};
const done = { operationId: 'op', status: 'done', receipt };

const state = 'InPreparation';

type Row = [method: keyof SegueClient, args: readonly unknown[], sent: string, answer: unknown, result?: unknown];

const ROWS: readonly Row[] = [
  ['createProject', [newProject], 'POST /segments/projects', project],
  ['validateProject', [newProject], 'POST /segments/projects?validateOnly=true', valid],
  ['listProjects', [], 'GET /segments/projects', [head], { projects: [head] }],
  [
    'listProjects',
    [{ limit: 2, state: 'InProgress', customIdPrefix: 'a&', createdAfter: '2026-11-20T12:00:00+01:00', done: false }],
    'GET /segments/projects?limit=2&state=InProgress&customIdPrefix=a%26&createdAfter=2026-11-20T12%3A00%3A00%2B01%3A00&done=false',
    [head],
    { projects: [head] },
  ],
  ['getProject', [1_000], 'GET /segments/projects/1000', project],
  ['getProject', [1, { taskId: 'a&b=c d' }], 'GET /segments/projects/1?taskId=a%26b%3Dc%20d', project],
  ['getProjectByCustomId', ['a/b%2F?$&'], 'GET /segments/projects/custom/a%2Fb%252F%3F%24%26', project],
  ['getSegments', [5], 'GET /segments/projects/5/segments', [segment], { segments: [segment] }],
  [
    'getSegments',
    [5, { status: 'draft', taskId: 't', languageCode: 'de', limit: 2, cursor: 's1.a' }],
    'GET /segments/projects/5/segments?status=draft&taskId=t&languageCode=de&limit=2&cursor=s1.a',
    [segment],
    { segments: [segment] },
  ],
  [
    'getSegmentsByCustomId',
    ['a/b%2F?$&'],
    'GET /segments/projects/custom/a%2Fb%252F%3F%24%26/segments',
    [segment],
    { segments: [segment] },
  ],
  ['getProgress', [5, { taskId: 't' }], 'GET /segments/projects/5/progress?taskId=t', progress],
  ['getProgressByCustomId', ['segments'], 'GET /segments/projects/custom/segments/progress', progress],
  ['getDailyLimits', [], 'GET /daily-limits', allowance],
  ['planDeletion', [5, 'project'], 'GET /segments/projects/5/deletion', plan],
  ['planDeletionByCustomId', ['a/b', { taskId: 't' }], 'GET /segments/projects/custom/a%2Fb/deletion?taskId=t', plan],
  ['putProject', [5, newProject], 'PUT /segments/projects/5', put],
  [
    'putProjectByCustomId',
    ['a/b', newProject, { revision: 7 }],
    'PUT /segments/projects/custom/a%2Fb?revision=7',
    outdated,
  ],
  ['planPut', [5, newProject, { taskId: 't' }], 'PUT /segments/projects/5?taskId=t&validateOnly=true', putPlan],
  [
    'planPutByCustomId',
    ['a', newProject, { revision: 0 }],
    'PUT /segments/projects/custom/a?revision=0&validateOnly=true',
    { valid: true, ...outdated },
  ],
  ['deleteProject', [1, 'project', { revision: 7 }], 'DELETE /segments/projects/1?revision=7', receipt],
  ['deleteProject', [1_000, 'project'], 'DELETE /segments/projects/1000', receipt],
  ['deleteProject', [1, { taskId: 't' }], 'DELETE /segments/projects/1?taskId=t', receipt],
  ['deleteProjectByCustomId', ['a', 'project'], 'DELETE /segments/projects/custom/a', receipt],
  ['writeTranslations', [1, [entry]], 'PATCH /segments/projects/1/translations', [translation]],
  ['writeTranslationsByCustomId', ['a/b', []], 'PATCH /segments/projects/custom/a%2Fb/translations', [translation]],
  ['changeLanguage', [1, 'de', { state }], 'PATCH /segments/projects/1/languages/de', targetLanguage],
  [
    'changeLanguageByCustomId',
    ['a', 'x/y', { state }],
    'PATCH /segments/projects/custom/a/languages/x%2Fy',
    targetLanguage,
  ],
  ['listEvents', [{ after: 'e', limit: 1 }], 'GET /events?after=e&limit=1', [event], { events: [event], more: false }],
  ['createEventSecret', [], 'POST /events/secret', { secret: 'whsec_x', liveSecrets: 1 }],
  ['getOperation', ['op'], 'GET /operations/op', done],
  ['waitFor', [{ operationId: 'op' }], 'GET /operations/op', done],
  ['listLanguages', [], 'GET /integrations/languages', [language]],
  ['obtainToken', [], 'POST /authentication/token', tokens],
  ['refreshToken', ['refresh'], 'POST /authentication/RefreshToken', tokens],
  ['health', [], 'GET /health', { status: 'ok' }],
  ['getDescription', [], 'GET /openapi.json', { openapi: '3.1.1' }],
  ['getProblemType', ['too-large'], 'GET /problems/too-large', page],
];

const WITHOUT_CREDENTIALS = ['obtainToken', 'refreshToken', 'health', 'getProblemType', 'getDescription'];
/** The operations that senders of webhooks, browsers, OAuth clients and clients of the upstream service request. */
const WITHOUT_METHOD: readonly OperationId[] = [
  'receiveWebhook',
  'listProblemTypes',
  'getReferenceFile',
  'getSecurityText',
  'obtainOAuthToken',
  'lookUpDomains',
  'lookUpUsers',
  'lookUpCollaborators',
  'lookUpStyleGuides',
];
const WITH_KEY = [
  'createProject',
  'putProject',
  'putProjectByCustomId',
  'deleteProject',
  'deleteProjectByCustomId',
  'writeTranslations',
  'writeTranslationsByCustomId',
  'changeLanguage',
  'changeLanguageByCustomId',
  'refreshToken',
];

const PREFERENCES: Partial<Record<keyof SegueClient, string>> = {
  deleteProject: 'return=representation',
  deleteProjectByCustomId: 'return=representation',
  putProject: 'return=minimal',
  putProjectByCustomId: 'return=minimal',
};

describe.each<Row>(ROWS)('%s(...%j)', (method, args, sent, answer, result = answer) => {
  const work = async (client: SegueClient): Promise<unknown> => Reflect.apply(client[method], client, args);

  it('sends the request of the contract, and returns the answer', async () => {
    const { client, received } = await world([json(200, answer)]);
    expect(await work(client)).toEqual(result);
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([sent]);
    const headers = received[0]?.headers ?? {};
    expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'gzip' });
    expect(readBasic(headers.authorization ?? '')).toEqual(WITHOUT_CREDENTIALS.includes(method) ? undefined : KEY);
    expect('idempotency-key' in headers).toBe(WITH_KEY.includes(method));
    expect(headers['prefer']).toBe(PREFERENCES[method]);
  });

  it('keeps fields that it does not know, in their order', async () => {
    const richer = Array.isArray(answer)
      ? answer.map((each) => ({ ...Object(each), colour: 'blue' }))
      : { ...Object(answer), colour: 'blue' };
    const { client } = await world([json(200, richer)]);
    const lists: Partial<Record<keyof SegueClient, object>> = {
      listProjects: { projects: richer },
      getSegments: { segments: richer },
      getSegmentsByCustomId: { segments: richer },
      listEvents: { events: richer, more: false },
    };
    const expected = lists[method] ?? richer;
    expect(JSON.stringify(await work(client))).toBe(JSON.stringify(expected));
  });

  it('refuses an answer of another shape', async () => {
    const { client } = await world([json(200, { ok: true })]);
    expect(await errorOf(work(client))).toMatchObject({ type: 'unreadable-answer', status: 200 });
  });
});

it('getReference requests a page, and returns it', async () => {
  const { client, received } = await world([text(200, '<html>Grüße</html>', { 'content-type': 'text/html' })]);
  expect(await client.getReference()).toBe('<html>Grüße</html>');
  expect(received).toMatchObject([{ method: 'GET', url: '/docs', headers: { accept: 'text/html' } }]);
});

it('every operation for partners has a method with its name', () => {
  const forPartners = ROUTES.filter(({ id }) => !WITHOUT_METHOD.includes(id));
  for (const { id } of forPartners) expect(Object.getOwnPropertyNames(SegueClient.prototype)).toContain(id);
});

describe('a project', () => {
  it('starts now unless it has a start date', async () => {
    const { client, received } = await world([json(201, project)]);
    await client.createProject(newProject);
    await client.createProject({ ...newProject, startDateUtc: '2026-11-20T12:01:00Z' });
    const starts = received.map(({ body }) => JSON.parse(body).startDateUtc);
    expect(starts).toEqual(['2026-11-20T12:00:00.000Z', '2026-11-20T12:01:00Z']);
  });

  it('is compressed if it is large', async () => {
    const { client, received } = await world([json(201, project)]);
    const segments = Array.from({ length: 100 }, () => ({ content: 'Grüße' }));
    await client.createProject(newProject);
    await client.createProject({ ...newProject, segments });
    expect(received.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip']);
    const [, large] = received;
    expect(large?.headers['content-length']).toBe(String(large?.bytes.length));
    expect(JSON.parse(gunzipSync(large?.bytes ?? '').toString()).segments).toEqual(segments);
  });
});

describe('a project of another service', () => {
  const [language] = project.targetLanguages;
  const odd: readonly (readonly [what: string, fields: object])[] = [
    ['a state of its own', { targetLanguages: [{ ...language, state: 'Completed', progress: -1, flag: 3 }] }],
    ['GUIDs of segments', { segments: [{ ...project.segments[0], id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' }] }],
    ['no segments', { segments: undefined }],
    ['nulls', { description: null, domain: null, targetLanguages: null }],
    ['fields of no known type', { name: 5, segments: 'none', targetLanguages: {} }],
  ];

  it.each(odd)('is returned unchanged, with %s', async (_, fields) => {
    const given = { ...project, ...fields };
    const operation = { operationId: 'op', status: 'done', project: given };
    const { client } = await world([json(201, given), json(200, given), json(200, [given]), json(200, operation)]);
    const expected = JSON.parse(JSON.stringify(given));
    expect(await client.createProject(newProject)).toEqual(expected);
    expect(await client.getProject(1_000)).toEqual(expected);
    expect(await client.listProjects()).toEqual({ projects: [expected] });
    expect(await client.waitFor('op')).toMatchObject({ project: expected });
  });

  it.each([...odd.slice(0, -1), ['the fields of the hosted service', {}] as const])(
    'has the documented types with %s',
    (_, fields) => {
      const given = { ...project, ...fields };
      expect(hasDocumentedTypes(given)).toBe(true);
      expect(hasDocumentedTypes({ ...given, name: 5 })).toBe(false);
      expect(hasDocumentedTypes({ ...given, targetLanguages: {} })).toBe(false);
    },
  );
});

describe('a list', () => {
  const link = (cursor: string) => ({
    link: `<https://segue.example/segments/projects?limit=1&cursor=${cursor}>; rel="next"`,
  });

  it('has the cursor of the next page', async () => {
    const { client } = await world([json(200, [head], link('c9'))]);
    expect(await client.listProjects({ limit: 1 })).toEqual({ projects: [head], cursor: 'c9' });
  });

  it('is read in pages of 100 unless a limit is given', async () => {
    const { client, received } = await world([json(200, [head], link('c9')), json(200, [])]);
    expect(await Array.fromAsync(client.eachProject())).toEqual([head]);
    expect(received.map(({ url }) => url)).toEqual([
      '/segments/projects?limit=100',
      '/segments/projects?limit=100&cursor=c9',
    ]);
  });
});

it('a deletion sends its plan', async () => {
  const { client, received } = await world([json(200, receipt), json(200, receipt)]);
  await client.deleteProject(1_000, 'project', { plan: 'WzEwMDBd' });
  await client.deleteProject(1_000, 'project');
  expect(received.map(({ headers }) => headers['if-match'])).toEqual(['"WzEwMDBd"', undefined]);
});

describe('a put', () => {
  it('sends its plan, its preference and a start date', async () => {
    const { client, received } = await world([json(200, put), json(200, put)]);
    await client.putProject(5, newProject, { plan: 'W251bGxd', strict: true });
    await client.putProjectByCustomId('a', { ...newProject, startDateUtc: '2026-11-20T12:01:00Z' });
    expect(received.map(({ headers }) => [headers['if-match'], headers['prefer']])).toEqual([
      ['"W251bGxd"', 'return=minimal, handling=strict'],
      [undefined, 'return=minimal'],
    ]);
    const starts = received.map(({ body }) => JSON.parse(body).startDateUtc);
    expect(starts).toEqual(['2026-11-20T12:00:00.000Z', '2026-11-20T12:01:00Z']);
  });

  it('is repeated under its key after a lost answer', async () => {
    const replayed = { 'idempotent-replayed': 'true' };
    const { client, keys } = await world([refuse('unavailable'), json(200, put, replayed)]);
    let replays = 0;
    expect(await client.putProject(5, newProject, { onReplay: () => replays++ })).toEqual(put);
    const [first, ...others] = keys();
    expect([others, replays]).toEqual([[first], 1]);
  });

  it('that goes on in the background is asked for, and its result read under its key', async () => {
    const started = { operationId: 'op', status: 'running' };
    const ended = { operationId: 'op', status: 'done', project };
    const plays = [json(202, started), json(200, started), json(200, ended), json(200, put)];
    const { client, received } = await world(plays);
    expect(await client.putProject(5, newProject, { idempotencyKey: 'k' })).toEqual(put);
    expect(received.map(({ method, url, headers }) => [`${method} ${url}`, headers['idempotency-key']])).toEqual([
      ['PUT /segments/projects/5', 'k'],
      ['GET /operations/op', undefined],
      ['GET /operations/op', undefined],
      ['PUT /segments/projects/5', 'k'],
    ]);
  });

  it('that failed in the background throws its problem, and is not sent again', async () => {
    const problem = {
      ...{ type: 'https://segue.example/problems/custom-id-in-use', status: 409, title: 'T', detail: 'D' },
      ...{ retryable: false, outcome: 'not-applied' },
    };
    const failed = { operationId: 'op', status: 'failed', problem };
    const { client, received } = await world([json(202, { operationId: 'op', status: 'running' }), json(200, failed)]);
    expect(await errorOf(client.putProject(5, newProject))).toMatchObject({ type: 'custom-id-in-use' });
    expect(received).toHaveLength(2);
  });
});

describe('a deletion that does not say what to delete', () => {
  it.each(['{}', '{"taskId":null}', 'null', '"task"'])('is not sent: %s', async (scope) => {
    const { client, received } = await world([json(200, receipt)]);
    // A caller without types can pass such a value.
    const what: WhatToDelete = JSON.parse(scope);
    const said = new TypeError('The argument "what" must be "project", or an object with a taskId');
    await expect(client.deleteProject(1_000, what)).rejects.toThrow(said);
    await expect(client.deleteProjectByCustomId('a', what)).rejects.toThrow(said);
    await expect(client.planDeletion(1_000, what)).rejects.toThrow(said);
    await expect(client.planDeletionByCustomId('a', what)).rejects.toThrow(said);
    expect(received).toHaveLength(0);
  });
});

it.each([
  ['no URL', { baseUrl: 'segue.example' }],
  ['another protocol', { baseUrl: 'ftp://segue.example' }],
  ['plain HTTP to another machine', { baseUrl: 'http://segue.CANARY.example' }],
  ['credentials in the URL', { baseUrl: 'https://a:CANARY@segue.example' }],
  ['a query', { baseUrl: 'https://segue.example?CANARY' }],
  ['a colon in the company id', { companyId: 'a:CANARY' }],
])('a client is not created with %s', (_, options) => {
  const make = () => new SegueClient({ baseUrl: 'https://segue.example', ...KEY, ...options });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(/^((?!CANARY).)*$/);
});

const OPTIONS = ['baseUrl', 'companyId', 'apiKey'] as const;

it.each(OPTIONS)('a client is not created without %s, for which a variable may be missing', (name) => {
  const options = { baseUrl: 'https://segue.example', ...KEY };
  const said = new TypeError(`The option "${name}" is missing or empty`);
  expect(() => new SegueClient({ ...options, [name]: '' })).toThrow(said);
  expect(() => new SegueClient({ ...options, [name]: undefined })).toThrow(said);
});

it.each(['1000', '{"id":1000}', 'null'])('waitFor says what to use for a project instead: %s', async (argument) => {
  const { client, received } = await world([json(200, done)]);
  // A caller without types can pass such a value.
  const said = 'To wait for the translations of a project, repeat getProgress';
  await expect(client.waitFor(JSON.parse(argument))).rejects.toThrow(said);
  expect(received).toHaveLength(0);
});

it('a base URL keeps its path, and a slash at its end is not doubled', async () => {
  const { received, client } = await world([json(200, { status: 'ok' })]);
  await client.health();
  const port = received[0]?.headers.host;
  for (const path of ['/v1', '/v1/']) await new SegueClient({ baseUrl: `http://${port}${path}`, ...KEY }).health();
  expect(received.map(({ url }) => url)).toEqual(['/health', '/v1/health', '/v1/health']);
});

it('a redirect is not followed', async () => {
  const { client, received } = await world([empty(307, { location: '/health' })]);
  expect(await errorOf(client.createProject(newProject))).toMatchObject({ type: 'unreadable-answer', status: 307 });
  expect(received).toHaveLength(1);
});
