import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import viewer from '#viewer' with { type: 'json' };
import { docsOf, type OperationId, ROUTES } from '../../lib/operations/routes.ts';
import { operationIdOf } from '../../lib/service/port.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { smallProject } from '../support/projects.ts';
import { senderOf } from '../support/senders.ts';
import { addSource } from '../support/sources.ts';

let gateway: StartedGateway;
const sender = senderOf('github');
const MESSAGE = '{}';
beforeAll(async () => {
  gateway = await startGateway({ env: { SEGUE_SECURITY_CONTACT: 'mailto:security@example.com' } });
  const { dataDir, companyId } = gateway;
  await addSource(dataDir, { name: 'wire', companyId, scheme: sender.settings, secret: sender.secret });
  await addSource(dataDir, { name: 'pinged', companyId, scheme: { name: 'woocommerce' } });
});
afterAll(() => gateway.stop());

type Asked = readonly [id: OperationId, status: number, path: string, headers?: Record<string, string>];

/** A request for each success of each operation, in an order in which all succeed. */
const REQUESTS: readonly Asked[] = [
  ['health', 200, '/health'],
  ['getProblemType', 200, '/problems/invalid-project', { Accept: 'application/json' }],
  ['getDescription', 200, '/openapi.json'],
  ['getReference', 200, '/docs'],
  ['getReferenceFile', 200, `/docs/${viewer.name}`],
  ['listProblemTypes', 200, '/problems'],
  ['getSecurityText', 200, '/.well-known/security.txt'],
  ['obtainToken', 200, '/authentication/token'],
  ['refreshToken', 200, '/authentication/RefreshToken'],
  ['obtainOAuthToken', 200, '/oauth/token', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['receiveWebhook', 202, '/webhooks/wire'],
  ['receiveWebhook', 200, '/webhooks/pinged'],
  ['listLanguages', 200, '/integrations/languages'],
  ['createProject', 200, '/segments/projects?validateOnly=true'],
  ['createProject', 201, '/segments/projects'],
  ['createProject', 202, '/segments/projects', { Prefer: 'respond-async', 'Idempotency-Key': 'wire' }],
  ['getOperation', 200, `/operations/${operationIdOf('wire')}`],
  ['listProjects', 200, '/segments/projects'],
  ['getProject', 200, '/segments/projects/{id}'],
  ['getProjectByCustomId', 200, '/segments/projects/custom/x'],
  ['getSegments', 200, '/segments/projects/{id}/segments'],
  ['getSegmentsByCustomId', 200, '/segments/projects/custom/x/segments'],
  ['getProgress', 200, '/segments/projects/{id}/progress'],
  ['getProgressByCustomId', 200, '/segments/projects/custom/x/progress'],
  ['getDailyLimits', 200, '/daily-limits'],
  ['listEvents', 200, '/events'],
  ['writeTranslations', 200, '/segments/projects/{id}/translations'],
  ['writeTranslationsByCustomId', 200, '/segments/projects/custom/x/translations'],
  ['changeLanguage', 200, '/segments/projects/{id}/languages/de-DE'],
  ['changeLanguageByCustomId', 200, '/segments/projects/custom/x/languages/de-DE'],
  ...(
    [
      ['putProject', '/segments/projects/{id}'],
      ['putProjectByCustomId', '/segments/projects/custom/x'],
    ] as const
  ).flatMap(([id, path]): Asked[] => [
    [id, 200, `${path}?revision=2`],
    [id, 200, path, { Prefer: 'return=minimal' }],
    [id, 200, `${path}?revision=1`],
    [id, 200, `${path}?validateOnly=true`],
    [id, 200, `${path}?validateOnly=true&revision=1`],
    [id, 202, path, { Prefer: 'respond-async' }],
  ]),
  ['putProjectByCustomId', 201, '/segments/projects/custom/new'],
  ['putProjectByCustomId', 201, '/segments/projects/custom/newer', { Prefer: 'return=minimal' }],
  ['planDeletion', 200, '/segments/projects/{id}/deletion'],
  ['planDeletionByCustomId', 200, '/segments/projects/custom/x/deletion?taskId=t'],
  ['deleteProject', 200, '/segments/projects/{id}?taskId=t', { Prefer: 'return=representation' }],
  ['deleteProject', 204, '/segments/projects/{id}?taskId=u'],
  ['deleteProjectByCustomId', 200, '/segments/projects/custom/x?taskId=v', { Prefer: 'return=representation' }],
  ['deleteProjectByCustomId', 204, '/segments/projects/custom/x'],
  ['createEventSecret', 201, '/events/secret'],
];

/** The operations that answer with a page or a script, with the beginnings of these. */
const PAGES: Partial<Record<OperationId, RegExp>> = {
  getReference: /^<!doctype html>/,
  listProblemTypes: /^<!doctype html>/,
  getReferenceFile: /^\/\/ /,
  getSecurityText: /^Contact: mailto:security@example\.com\n/,
};

/** Successes that only an upstream service causes. */
const UPSTREAM = [
  'deleteProject 202',
  'deleteProjectByCustomId 202',
  'lookUpDomains 200',
  'lookUpUsers 200',
  'lookUpCollaborators 200',
  'lookUpStyleGuides 200',
];

describe('the schemas of the API description', () => {
  it('cover every success of every operation', () => {
    const successes = (id: string, status: number) => `${id} ${status}`;
    const described = ROUTES.flatMap(({ id }) => docsOf(id).answers.map(({ status }) => successes(id, status)));
    expect([...REQUESTS.map(([id, status]) => successes(id, status)), ...UPSTREAM].sort()).toEqual(described.sort());
  });

  it('accept the real answers', async () => {
    let projectId = '';
    let token: unknown;
    for (const [id, status, path, headers] of REQUESTS) {
      const route = ROUTES.find((candidate) => candidate.id === id);
      const created = status === 202 ? { ...project, customId: 'y' } : project;
      const bodies: Partial<Record<OperationId, string>> = {
        createProject: JSON.stringify(created),
        putProject: PUT,
        putProjectByCustomId: PUT,
        writeTranslations: TRANSLATIONS,
        writeTranslationsByCustomId: TRANSLATIONS,
        changeLanguage: STATE,
        changeLanguageByCustomId: STATE,
        refreshToken: JSON.stringify({ token }),
        obtainOAuthToken: 'grant_type=client_credentials',
        receiveWebhook: status === 200 ? 'webhook_id=1' : MESSAGE,
      };
      const body = bodies[id];
      const answer = await fetch(gateway.url + path.replace('{id}', projectId), {
        ...(route && { method: route.method }),
        headers: {
          Authorization: gateway.authorization,
          ...(body && { 'Content-Type': 'application/json' }),
          ...(id === 'receiveWebhook' && sender.sign({ body: MESSAGE, atMs: Date.now(), id })),
          ...headers,
        },
        ...(body && { body }),
      });
      expect([id, answer.status]).toEqual([id, status]);
      const text = await answer.text();
      const described = docsOf(id).answers.filter((each) => each.status === status);
      const schemas = described.flatMap(({ schema }) => schema ?? []);
      if (schemas.length === 0) expect(text).toMatch(PAGES[id] ?? /^$/);
      else expect(schemas.map((schema) => z.safeParse(schema, JSON.parse(text)).error)).toContain(undefined);
      if (id === 'obtainToken') token = JSON.parse(text).RefreshToken;
      if (id === 'createProject' && status === 201) projectId = String(JSON.parse(text).id);
    }
  });
});

const project = smallProject({
  customId: 'x',
  segments: ['t', 'u', 'v', 'w'].map((taskId) => ({ content: 'x', taskId, customId: taskId })),
});
const TRANSLATIONS = JSON.stringify([
  { segmentCustomId: 'w', languageCode: 'de-DE', content: 'y', status: 'translated' },
]);
const { customId: _, ...unnamed } = project;
const PUT = JSON.stringify(unnamed);
const STATE = JSON.stringify({ state: 'InProgress' });
