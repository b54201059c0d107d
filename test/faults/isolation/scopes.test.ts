import { describe, expect, it } from 'vitest';
import viewer from '#viewer' with { type: 'json' };
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { type Route, SCOPES, type Scope, scopesOf } from '../../../lib/contract/routes.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { docsOf, type OperationId, ROUTES } from '../../../lib/operations/routes.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { openDatabase } from '../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../lib/storage/sqlite/storage.ts';
import { problemAnswer, tokenAnswer } from '../../contract/answers.ts';
import { type JsonObject, segment, smallProject } from '../../support/projects.ts';
import { addCompany } from '../../support/segue.ts';
import { type Asked, startWorld } from './world.ts';

const { ask, create, kept, whenIdle, dataDir } = await startWorld();

/** Every set of scopes. Each bit of a number stands for one scope. */
const SETS = Array.from({ length: 2 ** SCOPES.length }, (_, bits) => SCOPES.filter((_, at) => bits & (1 << at)));

/** The translation of a segment that no request deletes before the project. */
const TRANSLATIONS = [{ segmentCustomId: 'w', languageCode: 'de-DE', content: 'x', status: 'draft' }];

/** The segments of a project that only puts change. */
const PUT_SEGMENTS = ['a', 'b'].map((customId) => segment({ customId }));

type PublicRoute = (typeof ROUTES)[number];

/** The idempotency key of each company's first create. */
const KEY = 'used-to-create';

/** Returns a company with a project, and a second key that has only the given scopes. */
async function companyWith(scopes: readonly Scope[]) {
  const companyId = `with-${scopes.join('-') || 'nothing'}`;
  const { authorization } = await addCompany(dataDir, companyId);
  const segments = ['t', 'u', 'v', 'w'].map((taskId) => segment({ taskId, customId: taskId }));
  const id = await create(authorization, smallProject({ customId: 'x', segments }), { 'Idempotency-Key': KEY });
  await create(authorization, smallProject({ customId: 'put', segments: PUT_SEGMENTS }));
  const key = createApiKey();
  const storage = new SqliteStorage(openDatabase(dataDir), Date.now);
  await companiesIn(storage, Date.now).rotate(companyId, key, { scopes });
  storage.close();
  return { companyId, id, basic: basicHeader({ companyId, apiKey: key.apiKey }) };
}

/**
 * Returns a request for every operation, each of which succeeds if its scope is granted. Deletions are last.
 */
function requestsTo(id: number): readonly { readonly route: PublicRoute; readonly request: Asked }[] {
  const requests: Readonly<Record<OperationId, readonly Omit<Asked, 'method'>[]>> = {
    createProject: ['', '?validateOnly=false', '?validateOnly=true'].map((query) => ({
      path: `/segments/projects${query}`,
      json: smallProject(),
    })),
    listProjects: [{ path: '/segments/projects' }],
    getProject: [{ path: `/segments/projects/${id}` }, { path: `/segments/projects/${id}?taskId=w` }],
    getProjectByCustomId: [{ path: '/segments/projects/custom/x' }],
    createEventSecret: [{ path: '/events/secret' }],
    listEvents: [{ path: '/events' }, { path: '/events?limit=1' }],
    getSegments: [
      { path: `/segments/projects/${id}/segments` },
      { path: `/segments/projects/${id}/segments?limit=1&taskId=w` },
    ],
    getSegmentsByCustomId: [{ path: '/segments/projects/custom/x/segments' }],
    getProgress: [{ path: `/segments/projects/${id}/progress` }],
    getProgressByCustomId: [{ path: '/segments/projects/custom/x/progress?taskId=w' }],
    putProject: [{ path: `/segments/projects/${id}?validateOnly=true`, json: smallProject() }],
    putProjectByCustomId: [{ path: '/segments/projects/custom/x?validateOnly=true', json: smallProject() }],
    planDeletion: [{ path: `/segments/projects/${id}/deletion?taskId=w` }],
    planDeletionByCustomId: [{ path: '/segments/projects/custom/x/deletion' }],
    deleteProject: [{ path: `/segments/projects/${id}?taskId=t` }],
    deleteProjectByCustomId: [
      { path: '/segments/projects/custom/x?taskId=u' },
      { path: '/segments/projects/custom/x' },
    ],
    writeTranslations: [{ path: `/segments/projects/${id}/translations`, json: TRANSLATIONS }],
    writeTranslationsByCustomId: [{ path: '/segments/projects/custom/x/translations', json: TRANSLATIONS }],
    changeLanguage: [{ path: `/segments/projects/${id}/languages/de-DE`, json: { state: 'InProgress' } }],
    changeLanguageByCustomId: [{ path: '/segments/projects/custom/x/languages/de-DE', json: { state: 'InProgress' } }],
    getOperation: [{ path: `/operations/${operationIdOf(KEY)}` }],
    getDailyLimits: [{ path: '/daily-limits' }],
    listLanguages: [{ path: '/integrations/languages' }],
    lookUpDomains: [{ path: '/Assets/api/Domains?active=true' }],
    lookUpUsers: [{ path: '/Accounts/Users' }],
    lookUpCollaborators: [{ path: '/accounts/Collaborators' }],
    lookUpStyleGuides: [{ path: '/TextProcessing/StyleGuide' }],
    obtainToken: [{ path: '/authentication/token' }],
    refreshToken: [{ path: '/authentication/RefreshToken', json: { token: 'a.b.c' } }],
    obtainOAuthToken: [{ path: '/oauth/token' }],
    receiveWebhook: [{ path: '/webhooks/none', json: {} }],
    health: [{ path: '/health' }],
    getDescription: [{ path: '/openapi.json' }],
    getReference: [{ path: '/docs' }],
    getReferenceFile: [{ path: `/docs/${viewer.name}` }],
    listProblemTypes: [{ path: '/problems' }],
    getSecurityText: [{ path: '/.well-known/security.txt', headers: { accept: 'text/plain' } }],
    getProblemType: [{ path: '/problems/scope-missing', headers: { accept: 'application/json' } }],
  };
  const inOrder = ROUTES.toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));
  return inOrder.flatMap((route) =>
    requests[route.id].map((request) => ({ route, request: { method: route.method, ...request } })),
  );
}

it('there is a request for every operation', () => {
  expect(new Set(requestsTo(1).map(({ route }) => route.id))).toEqual(new Set(ROUTES.map(({ id }) => id)));
  expect(SETS).toHaveLength(64);
});

/** The companies of the sets, each with an access token of its key. */
const companies = new Map<readonly Scope[], Awaited<ReturnType<typeof companyWith>> & { readonly bearer: string }>();
for (const scopes of SETS) {
  const company = await companyWith(scopes);
  const answer = await ask(company.basic, { method: 'POST', path: '/authentication/token' });
  const bearer = `Bearer ${tokenAnswer.parse(JSON.parse(answer.text)).AccessToken}`;
  companies.set(scopes, { ...company, bearer });
}
await whenIdle();

describe.each(SETS.map((scopes) => [scopes.join() || 'none', scopes] as const))(
  'a key with the scopes: %s',
  (_, scopes) => {
    it('allows exactly the operations of these scopes, by key and by token', async () => {
      const { companyId, id, basic, bearer } = companyOf(scopes);
      const isMissing = (route: Route) => {
        const needed = scopesOf(route);
        return needed.length > 0 && !needed.some((scope) => scopes.includes(scope));
      };
      const requests = requestsTo(id);
      // The work that an allowed request leaves to the background would change the company during a later request.
      for (const { route, request } of requests.filter((each) => isMissing(each.route))) {
        for (const authorization of [basic, bearer]) {
          const before = kept(companyId);
          const { text } = await ask(authorization, request);
          const { method, path } = request;
          const problem = problemAnswer.parse(JSON.parse(text));
          expect({ method, path, ...problem }).toMatchObject({ method, path, status: 403, outcome: 'not-applied' });
          expect(problem.type).toMatch(/\/scope-missing$/);
          for (const scope of scopesOf(route)) expect(problem.detail).toMatch(new RegExp(` ${scope}\\b`));
          expect(kept(companyId)).toEqual(before);
        }
      }
      for (const { route, request } of requests.filter((each) => !isMissing(each.route))) {
        const { status } = await ask(route.scope === null ? basic : bearer, request);
        const { method, path } = request;
        expect({ method, path, status }).toEqual({ method, path, status: expect.toBeOneOf(expectedOf(route)) });
      }
    });
  },
);

/** What a put does, as a request, with the scopes that it needs. */
const PUTS: readonly (readonly [does: string, needed: readonly Scope[], request: () => Asked])[] = [
  ['creates', ['create'], () => putTo('new', {})],
  ['adds', ['update'], () => putTo('put', { segments: [...PUT_SEGMENTS, segment({ customId: 'c' })] })],
  ['removes', ['update', 'delete'], () => putTo('put', { segments: PUT_SEGMENTS.slice(1) })],
];

function putTo(customId: string, fields: JsonObject): Asked {
  return { method: 'PUT', path: `/segments/projects/custom/${customId}`, json: smallProject(fields) };
}

it.each(SETS.map((scopes) => [scopes.join() || 'none', scopes] as const))(
  'a put does only what the key may do: %s',
  async (_, scopes) => {
    const { companyId, basic } = companyOf(scopes);
    const [allowed = [], refused = []] = [true, false].map((isAllowed) =>
      PUTS.filter(([, needed]) => needed.every((scope) => scopes.includes(scope)) === isAllowed),
    );
    // What allowed requests leave to the background would change the company during a refused one.
    await whenIdle();
    for (const [does, , request] of refused) {
      const before = kept(companyId);
      const { status, text } = await ask(basic, request());
      expect([does, status]).toEqual([does, 403]);
      expect(problemAnswer.parse(JSON.parse(text)).type).toMatch(/\/scope-missing$/);
      expect(kept(companyId)).toEqual(before);
    }
    for (const [does, , request] of allowed) {
      const { status } = await ask(basic, request());
      expect([does, status]).toEqual([does, does === 'creates' ? 201 : 200]);
    }
  },
);

function companyOf(scopes: readonly Scope[]) {
  const company = companies.get(scopes);
  if (!company) throw new RangeError('There is no company with these scopes');
  return company;
}

/**
 * Returns the statuses of an allowed request. The refresh token is invalid, so 401; the source is unknown, so 404; there
 * is no form, so 400; there is no contact, so 404; and the hosted service has no lookups, so 501.
 */
function expectedOf({ id }: PublicRoute): readonly number[] {
  const refused: Partial<Record<OperationId, number>> = {
    refreshToken: 401,
    receiveWebhook: 404,
    obtainOAuthToken: 400,
    getSecurityText: 404,
    lookUpDomains: 501,
    lookUpUsers: 501,
    lookUpCollaborators: 501,
    lookUpStyleGuides: 501,
  };
  return refused[id] ? [refused[id]] : docsOf(id).answers.map(({ status }) => status);
}
