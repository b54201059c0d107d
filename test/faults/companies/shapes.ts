import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { asObject, asObjects, type JsonObject, member, smallProject } from '../../support/projects.ts';
import { objectIn } from '../asking.ts';
import { type Attack, type Flood, get, targets } from './attack.ts';

const GZIP = { 'Accept-Encoding': 'gzip' };
const NOTE = 'n'.repeat(20);
const LONGEST = 'x'.repeat(LIMITS.contentBytes);

/** Returns a project with a segment in each task. */
function tasks(count: number, languages: number, fields: JsonObject = {}): JsonObject {
  const segments = Array.from({ length: count }, (_, n) => ({ content: 'a', taskId: `${n}` }));
  return smallProject({ segments, targetLanguages: targets(languages, fields) });
}

/** Returns as many tasks in 150 languages as are accepted. */
export function* inManyLanguages(fields: JsonObject = {}): Iterable<JsonObject> {
  for (const count of [LIMITS.segments, 1_333, 600]) yield tasks(count, LIMITS.targetLanguages, fields);
}

/** Returns 50,000 tasks in as many languages as are accepted. */
export function* manyTasks(fields: JsonObject = {}): Iterable<JsonObject> {
  for (const languages of [LIMITS.targetLanguages, 4, 2]) yield tasks(LIMITS.segments, languages, fields);
}

/** Returns 150 languages with as many members as a body holds. */
function* teams(): Iterable<JsonObject> {
  for (const size of [LIMITS.membersPerTeam, 30]) {
    const team = Array.from({ length: size }, (_, n) => member({ name: 'P' }, n));
    yield smallProject({ targetLanguages: targets(LIMITS.targetLanguages, { team }) });
  }
}

/** Returns segments with 200 notes each. */
function* notes(): Iterable<JsonObject> {
  const targetLanguages = targets(LIMITS.targetLanguages);
  const ofSegment = Array.from({ length: LIMITS.notesPerSegment }, (_, n) => ({
    languageCode: `${targetLanguages[n % targetLanguages.length]?.['targetLanguageCode']}`,
    note: NOTE,
  }));
  const unique = ofSegment.slice(0, targetLanguages.length);
  for (const languageSpecificNotes of [ofSegment, unique]) {
    for (const count of [450, 400, 300, 200]) {
      const segments = Array.from({ length: count }, () => ({ content: 'a', languageSpecificNotes }));
      yield smallProject({ targetLanguages, segments });
    }
  }
}

/** Returns a project of 4 MiB with as many segments as are accepted. */
function* largest(fields: JsonObject = {}): Iterable<JsonObject> {
  for (const length of [48, 40, 20]) {
    const segments = Array.from({ length: LIMITS.segments }, (_, n) => ({ content: `${n}`.padEnd(length, ' word') }));
    yield smallProject({ segments, targetLanguages: targets(LIMITS.targetLanguages), ...fields });
  }
}

/** Returns 50,000 segments in as many languages as are accepted. */
function* equalSegments(fields: (n: number) => JsonObject = () => ({})): Iterable<JsonObject> {
  const segments = Array.from({ length: LIMITS.segments }, (_, n) => ({ content: 'a', ...fields(n) }));
  for (const languages of [LIMITS.targetLanguages, 4])
    yield smallProject({ segments, targetLanguages: targets(languages) });
}

/** Puts a project again and again, each time with another change. */
const putting = (change: (project: JsonObject, n: number) => JsonObject): Flood => {
  return async ({ path, request }) => {
    const project = asObject(JSON.parse(gunzipSync(request.body ?? '').toString()));
    const bodies = [0, 1].map((n) => gzipSync(JSON.stringify(change(project, n))));
    return (n) => ({
      method: 'PUT',
      path,
      headers: { ...request.headers, Prefer: 'return=minimal' },
      body: bodies[n % bodies.length] ?? '',
    });
  };
};

/** Puts the segments of a project in their reversed order, and back again. */
const reversing = putting((project, n) => {
  const segments = asObjects(project['segments']);
  return { ...project, segments: n === 0 ? segments.toReversed() : segments };
});

/** Puts other contents of all segments, and back again. */
const rewriting = putting((project, n) => {
  const segments = asObjects(project['segments']);
  return { ...project, segments: n === 0 ? segments.map((each) => ({ ...each, content: 'b' })) : segments };
});

/** Puts a project without all languages but one, and back again. */
const removingLanguages = putting((project, n) => {
  const targetLanguages = asObjects(project['targetLanguages']);
  return { ...project, targetLanguages: n === 0 ? targetLanguages.slice(0, 1) : targetLanguages };
});

/** Deletes one task after the other. */
const deleteTasks: Flood = async ({ path }) => {
  return (n) => ({ method: 'DELETE', path: `${path}?taskId=${n}` });
};

/** Deletes with a plan that does not hold any more. */
const deleteByOldPlan: Flood = async ({ path }, ask) => {
  const { plan } = objectIn(await ask({ method: 'GET', path: `${path}/deletion` }));
  const deleted = await ask({ method: 'DELETE', path: `${path}?taskId=1` });
  assert.equal(deleted.status, 204);
  return () => ({ method: 'DELETE', path, headers: { 'If-Match': `"${plan}"` } });
};

/** Writes 1,000 translations, each time in another language. */
const writeTranslations: Flood = async ({ path, languageCodes }, ask) => {
  const query = `limit=${LIMITS.translations}&languageCode=${languageCodes[0]}`;
  const page = await ask({ method: 'GET', path: `${path}/segments?${query}`, headers: GZIP });
  const ids = asObjects(JSON.parse(page.text)).map(({ source = null }) => asObject(source)['id']);
  return (n) => {
    const languageCode = languageCodes[n % languageCodes.length] ?? '';
    const entries = ids.map((segmentId) => ({ segmentId, languageCode, content: `${n}`, status: 'translated' }));
    return json('PATCH', `${path}/translations`, entries);
  };
};

/** Writes three translations of a mebibyte in a small body, and reads the first segment. */
const writeLongest: Flood = async ({ path, languageCodes }, ask) => {
  const page = await ask({ method: 'GET', path: `${path}/segments?limit=${LIMITS.segmentsMax}`, headers: GZIP });
  const ids = asObjects(JSON.parse(page.text)).map(({ source = null }) => asObject(source)['id']);
  return (n) => {
    if (n % 4 > 0) return { method: 'GET', path: `${path}/segments?limit=1`, headers: GZIP };
    const languageCode = languageCodes[n % languageCodes.length] ?? '';
    const entries = [0, 1, 2].map((each) => ({
      segmentId: ids[(n + each) % ids.length],
      languageCode,
      content: LONGEST,
      status: 'translated',
    }));
    const request = json('PATCH', `${path}/translations`, entries);
    return { ...request, headers: { ...request.headers, 'Content-Encoding': 'gzip' }, body: gzipSync(request.body) };
  };
};

/** Stops and starts one language after the other. */
export const changeLanguages: Flood = async ({ path, languageCodes }) => {
  return (n) => {
    const code = languageCodes[Math.floor(n / 2) % languageCodes.length];
    return json('PATCH', `${path}/languages/${code}`, { state: n % 2 === 0 ? 'InPreparation' : 'InProgress' });
  };
};

const validate: Flood = async ({ request }) => {
  return () => ({ ...request, path: `${request.path}?validateOnly=true` });
};

const replay: Flood = async ({ request }, ask) => {
  const keyed = { ...request, headers: { ...request.headers, 'Idempotency-Key': '"again"' } };
  await ask(keyed);
  return () => keyed;
};

const createApart: Flood = async ({ request }) => {
  return () => ({ ...request, headers: { ...request.headers, Prefer: 'respond-async' } });
};

const createAgain: Flood = async ({ request }) => {
  return () => request;
};

const list: Flood = async () => () => ({ method: 'GET', path: '/segments/projects', headers: GZIP });

function json(method: string, path: string, body: unknown) {
  return { method, path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** Both shapes with the most tasks times languages, and the largest one whose progress fits into an answer. */
const MANY = [
  () => inManyLanguages(),
  () => manyTasks(),
  () => [tasks(Math.floor(LIMITS.progressEntries / LIMITS.targetLanguages) - 1, LIMITS.targetLanguages)],
];
/** The floods that are sent about both shapes. */
const OF_TASKS: Readonly<Record<string, Flood>> = {
  'progress of a task': get('/progress?taskId=7'),
  'progress of a project': get('/progress', GZIP),
  'a task': get('?taskId=7'),
  'a project': get('', GZIP),
  'all segments': get('/segments', GZIP),
  'segments that do not fit (406)': get('/segments'),
  'segments of a task': get('/segments?taskId=7', GZIP),
  'segments of a status': get('/segments?status=proofread&limit=1000', GZIP),
  'a page of segments': get('/segments?limit=1000', GZIP),
  'a plan of a deletion': get('/deletion'),
  'a plan of a task’s deletion': get('/deletion?taskId=7'),
  'deletions of tasks': deleteTasks,
  'deletions by an outdated plan': deleteByOldPlan,
  '1,000 translations': writeTranslations,
  'changes of languages': changeLanguages,
};

/** The floods that cost most before they were bounded. */
const SAMPLED = [
  'progress of a task',
  'segments that do not fit (406)',
  'deletions of tasks',
  'deletions by an outdated plan',
];

/** Attacks by projects that make requests dear. */
export const SHAPES: readonly Attack[] = [
  ...Object.entries(OF_TASKS).map(
    ([name, flood]): Attack => ({
      title: `many tasks: ${name}`,
      kind: 'shapes',
      isSampled: SAMPLED.includes(name),
      projects: MANY,
      flood,
    }),
  ),
  { title: 'a list of 1,000 projects', kind: 'shapes', projects: [listed], copies: 1_000, flood: list },
  {
    title: 'translations of a mebibyte',
    kind: 'shapes',
    projects: [() => [tasks(LIMITS.segmentsMax, 10)]],
    flood: writeLongest,
  },
  { title: 'validations of 4 MiB', kind: 'shapes', projects: [() => largest()], flood: validate },
  { title: 'replays of 4 MiB', kind: 'shapes', projects: [() => largest()], flood: replay },
  { title: 'creations of 4 MiB without answer', kind: 'shapes', projects: [() => largest()], flood: createApart },
  {
    title: 'puts of equal segments',
    kind: 'shapes',
    projects: [() => equalSegments()],
    flood: putting((same) => same),
  },
  {
    title: 'puts of equal segments in reversed order',
    kind: 'shapes',
    isSampled: true,
    projects: [() => equalSegments((n) => ({ customId: `${n}` }))],
    flood: reversing,
  },
  {
    title: 'puts of other contents with equal custom ids',
    kind: 'shapes',
    projects: [() => equalSegments(() => ({ customId: 'a' }))],
    flood: rewriting,
  },
  { title: 'puts of many tasks in reversed order', kind: 'shapes', projects: [() => manyTasks()], flood: reversing },
  { title: 'puts of 4 MiB in reversed order', kind: 'shapes', projects: [() => largest()], flood: reversing },
  {
    title: 'puts that remove 149 languages',
    kind: 'shapes',
    projects: [() => equalSegments()],
    flood: removingLanguages,
  },
  {
    title: 'puts of a content of a mebibyte',
    kind: 'shapes',
    projects: [
      () => [
        smallProject({
          segments: [{ content: LONGEST, customId: 'a' }],
          targetLanguages: targets(LIMITS.targetLanguages),
        }),
      ],
    ],
    flood: rewriting,
  },
  { title: '150 teams of 50: creations', kind: 'shapes', projects: [teams], flood: createAgain },
  { title: '150 teams of 50: a project', kind: 'shapes', projects: [teams], flood: get('', GZIP) },
  { title: '200 notes a segment: creations', kind: 'shapes', projects: [notes], flood: createAgain },
  {
    title: '200 notes a segment: segments',
    kind: 'shapes',
    projects: [notes],
    flood: get('/segments?limit=1000', GZIP),
  },
];

function listed(): JsonObject[] {
  return [smallProject({ targetLanguages: targets(LIMITS.targetLanguages) })];
}
