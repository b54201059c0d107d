import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ROUTES } from '../../../../lib/operations/routes.ts';
import { asObjects, type JsonObject, member, nowUtc, smallProject, target } from '../../../support/projects.ts';
import { broken, cutShort, smuggled } from './broken.ts';
import { type Draft, type Header, type Spoil, soundly, type Utterance } from './draft.ts';
import { anything, FAULTY_PUT_QUERIES, FAULTY_QUERIES, flipped, fraction, harmless } from './spoils.ts';
import { TEXTS } from './texts.ts';
import { CANARY, CONTENT, type Company, type Known, TASKS, type World } from './world.ts';

const PROJECTS = '/segments/projects';
const NOTHING = Buffer.alloc(0);

const spoiltBy = (spoils: fc.Arbitrary<Spoil>) => (draft: fc.Arbitrary<Draft>) =>
  fc
    .tuple(draft, fc.array(spoils, { maxLength: 3 }))
    .map(([whole, all]) => all.reduce((spoilt, spoil) => spoil(spoilt), whole));

function request(company: Company, method: string, path: string, body: Buffer = NOTHING): fc.Arbitrary<Draft> {
  return fc.constantFrom(company.authorization, company.bearer).map((authorization) => {
    const headers: Header[] = [
      ['Host', 'localhost'],
      ['Authorization', authorization],
    ];
    if (body.length > 0) headers.push(['Content-Type', 'application/json']);
    return { method, target: path, version: 'HTTP/1.1', headers, body, framing: 'length' };
  });
}

/** Returns the path of a project by id, and by custom id. */
function pathsOf({ id, customId }: Known): [string, string] {
  return [`${PROJECTS}/${id}`, `${PROJECTS}/custom/${encodeURIComponent(customId)}`];
}

/** The paths of the reads that need credentials. */
const READ_PATHS = ROUTES.filter(({ method, scope }) => method === 'GET' && scope !== null).map(({ path }) => path);

/** Returns the paths of all reads of a project. */
function readPathsOf({ id, customId }: Known): string[] {
  return READ_PATHS.filter((path) => path.startsWith(`${PROJECTS}/`)).map((path) =>
    path.replace('{id}', `${id}`).replace('{customId}', encodeURIComponent(customId)),
  );
}

const STATUSES = ['draft', 'automatic', 'pretranslated', 'translated', 'proofread'] as const;

/** Returns a body that writes translations of a project. Some have a wrong version. */
function translationsOf({ segmentIds }: Known): fc.Arbitrary<Buffer> {
  const entry = fc.record(
    {
      segmentId: fc.constantFrom(...segmentIds),
      languageCode: fc.constantFrom('de-DE', 'DE_de'),
      content: fc.constantFrom(`${CANARY} tweets`, ''),
      status: fc.constantFrom(...STATUSES),
      version: fc.nat(2),
      reopen: fc.boolean(),
    },
    { requiredKeys: ['segmentId', 'languageCode', 'content', 'status'] },
  );
  const entries = fc.uniqueArray(entry, { selector: ({ segmentId }) => segmentId, minLength: 1, maxLength: 3 });
  return entries.map((all) => Buffer.from(JSON.stringify(all)));
}

const languageChange = fc
  .constantFrom('InPreparation', 'InProgress')
  .map((state) => Buffer.from(JSON.stringify({ state })));

const project = (fields: JsonObject = {}) =>
  fc.tuple(fc.uuid(), fc.boolean()).map(([id, hasCustomId]) =>
    smallProject({
      name: `${CONTENT} ${id}`,
      endDateUtc: '2059-01-01T00:00:00Z',
      ...(hasCustomId && { customId: `${CANARY} ${id}` }),
      segments: TASKS.map((taskId) => ({ content: `${CONTENT} ${id}`, taskId })),
      ...fields,
    }),
  );
const jsonOf = (value: fc.Arbitrary<JsonObject>) => value.map((json) => Buffer.from(JSON.stringify(json)));
const lonely = project({ targetLanguages: [target({ team: [member({ isTranslator: false, isProofreader: true })] })] });

/** Bodies, some of them valid. */
const bodies = fc.oneof(
  { weight: 4, arbitrary: jsonOf(project()) },
  { weight: 1, arbitrary: jsonOf(project()).map((json) => gzipSync(json)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(jsonOf(project()), fraction, fc.nat(7))
      .map(([json, at, bit]) => flipped(gzipSync(json), [at], bit)),
  },
  { weight: 1, arbitrary: jsonOf(lonely) },
  { weight: 2, arbitrary: fc.constantFrom(...TEXTS) },
);

/** Bodies that are always invalid, in a put too, whatever else the request changes. */
const faultyPuts = fc.oneof(
  jsonOf(project({ name: 5 })),
  jsonOf(project({ segments: [] })),
  jsonOf(project({ [CANARY]: 'x' })),
  jsonOf(project({ customId: '..' })),
  jsonOf(project().map((json) => ({ ...json, segments: [...asObjects(json['segments']), { content: '' }] }))),
  jsonOf(lonely),
  fc.constantFrom(...TEXTS),
);

/** Bodies that are always invalid in a creation. */
const faultyBodies = fc.oneof(
  { weight: 7, arbitrary: faultyPuts },
  { weight: 1, arbitrary: jsonOf(project({ startDateUtc: nowUtc(-86_400_000) })) },
);

/** Changes of translations and languages that are always invalid. */
const faultyChanges = fc.constantFrom(
  ...['{}', '[]', '[{}]', `[{"segmentId":1,"languageCode":"${CANARY}","content":"x","status":"draft"}]`],
  ...['{"state":"Completed"}', `{"state":"InPreparation","${CANARY}":1}`],
);

/** Returns the bytes of one request to the gateway. */
export function utterances({ free, guarded }: Pick<World, 'free' | 'guarded'>): fc.Arbitrary<Utterance> {
  const everybody = [free, ...guarded];
  const anyPath = fc.constantFrom(
    ...everybody.flatMap(({ projects }) => projects.slice(0, 6).flatMap(readPathsOf)),
    ...[
      `${PROJECTS}/1`,
      `${PROJECTS}/custom/x`,
      ...READ_PATHS.filter((path) => !path.includes('{')),
      '/health',
      '/nowhere',
      '*',
      '/',
    ],
  );
  const someGuarded = fc
    .constantFrom(...guarded)
    .chain((company) =>
      fc
        .constantFrom(...company.projects)
        .chain((known) => fc.constantFrom(...pathsOf(known)).map((path) => ({ company, path }))),
    );
  const anyCompany = fc.constantFrom(...everybody);

  const read = fc.tuple(anyCompany, anyPath).chain(([company, path]) => request(company, 'GET', path));
  const create = bodies.chain((body) => request(free, 'POST', PROJECTS, body));
  const remove = fc
    .constantFrom(...free.projects)
    .chain((known) =>
      fc
        .tuple(fc.constantFrom(...pathsOf(known)), fc.constantFrom('', ...TASKS.map((task) => `?taskId=${task}`)))
        .chain(([path, query]) => request(free, 'DELETE', path + query)),
    );
  const change = fc.constantFrom(...free.projects).chain((known) =>
    fc.constantFrom(...pathsOf(known)).chain((path) =>
      fc.oneof(
        translationsOf(known).chain((body) => request(free, 'PATCH', `${path}/translations`, body)),
        languageChange.chain((body) => request(free, 'PATCH', `${path}/languages/de-DE`, body)),
      ),
    ),
  );
  const put = fc
    .constantFrom(...free.projects)
    .chain((known) =>
      fc
        .tuple(
          fc.constantFrom(...pathsOf(known), `${PROJECTS}/custom/${CANARY}-new`),
          fc.constantFrom('', '?taskId=one', '?validateOnly=true', '?revision=7', '?revision=8'),
          bodies,
        )
        .chain(([path, query, body]) => request(free, 'PUT', path + query, body)),
    );
  const removeOthers = someGuarded.chain(({ path }) => request(free, 'DELETE', path));
  const token = fc.oneof(
    fc.constantFrom(...TEXTS).chain((body) => request(free, 'POST', '/authentication/token', body)),
    fc
      .constantFrom(
        { username: free.companyId, password: free.apiKey },
        { username: free.companyId, password: CANARY },
        { username: CANARY, password: '' },
      )
      .chain((json) => request(free, 'POST', '/authentication/token', Buffer.from(JSON.stringify(json)))),
  );

  const form = fc.oneof(
    fc.constantFrom(...TEXTS),
    fc
      .tuple(
        fc.constantFrom('grant_type=client_credentials', 'grant_type=password', `grant_type=${CANARY}`),
        fc.constantFrom('', `&client_id=${free.companyId}&client_secret=${free.apiKey}`, `&client_secret=${CANARY}`),
        fc.constantFrom('', '&scope=read', `&scope=${CANARY}`, '&%ff', '&a=%'),
      )
      .map((parts) => Buffer.from(parts.join(''))),
  );
  const oauth = form
    .chain((body) => request(free, 'POST', '/oauth/token', body))
    .map((draft) => ({
      ...draft,
      headers: draft.headers.map(
        ([name, value]): Header => [name, name === 'Content-Type' ? 'application/x-www-form-urlencoded' : value],
      ),
    }));

  const refusedRemoval = fc.oneof(
    fc
      .tuple(someGuarded, fc.constantFrom(...FAULTY_QUERIES))
      .chain(([{ company, path }, query]) => request(company, 'DELETE', `${path}?${query}`)),
    fc
      .tuple(someGuarded, fc.constantFrom('{}', ' ', '\0', CANARY))
      .chain(([{ company, path }, body]) => request(company, 'DELETE', path, Buffer.from(body))),
  );
  const refusedCreation = fc
    .tuple(fc.constantFrom(...guarded), faultyBodies)
    .chain(([company, body]) => request(company, 'POST', PROJECTS, body));
  const refusedPut = fc.oneof(
    fc
      .tuple(someGuarded, fc.constantFrom('', '?taskId=one', '?revision=7'), faultyPuts)
      .chain(([{ company, path }, query, body]) => request(company, 'PUT', path + query, body)),
    fc
      .tuple(someGuarded, fc.constantFrom(...FAULTY_PUT_QUERIES), jsonOf(project({ customId: null })))
      .chain(([{ company, path }, query, body]) => request(company, 'PUT', `${path}?${query}`, body)),
  );
  const refusedChange = fc
    .tuple(someGuarded, fc.constantFrom('translations', 'languages/de-DE'), faultyChanges)
    .chain(([{ company, path }, kind, body]) => request(company, 'PATCH', `${path}/${kind}`, Buffer.from(body)));
  const granted = someGuarded.chain(({ company, path }) => request(company, 'DELETE', path));

  const mine = fc.oneof(
    { weight: 3, arbitrary: create },
    { weight: 2, arbitrary: remove },
    { weight: 2, arbitrary: put },
    { weight: 2, arbitrary: change },
    removeOthers,
    token,
    oauth,
    read.filter(({ headers }) => headers.some(([, value]) => value === free.authorization || value === free.bearer)),
  );
  const guardedAll = fc.oneof(read, refusedRemoval, refusedCreation, refusedPut, refusedChange);
  return fc.oneof(
    { weight: 10, arbitrary: spoiltBy(anything)(mine).map(soundly) },
    { weight: 8, arbitrary: spoiltBy(harmless)(guardedAll).map(soundly) },
    { weight: 5, arbitrary: broken(spoiltBy(anything)(mine)) },
    { weight: 2, arbitrary: smuggled(fc.oneof(mine, read), granted) },
    { weight: 1, arbitrary: cutShort(fc.oneof(create, granted)) },
  );
}
