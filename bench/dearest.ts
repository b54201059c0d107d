import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { lazy } from '../lib/contract/lazy.ts';
import { LEVEL } from '../lib/service/encoded-text.ts';
import { asObjects } from '../test/support/projects.ts';
import { createdId, plainBody, requireStatus } from './support/answers.ts';
import type { Answer, RequestParts } from './support/connection.ts';
import { hosted, type Segue } from './support/segue.ts';
import { SHAPES, type Shape } from './support/shapes.ts';
import { markdownTable } from './support/table.ts';

/** How often each request is sent. The first time does not count. */
const WARM_UP = 1;
const ROUNDS = 5;

/** The tasks of a project that are read, or deleted one after the other. */
const TASKS = 1 + WARM_UP + ROUNDS;

/** The processor time that a process with nothing to do needs in a second, at most. */
const IDLE_MS = 50;

/** A request that is as dear as a client can make it. */
interface Dear {
  readonly operation: string;
  /** The project, by its shape. */
  readonly shape: Shape | keyof typeof TRANSLATED | '300 teams' | '1,000 tasks';
  readonly status: number;
  /** Makes the parts of a request. Each request for a deletion must name something else. */
  readonly parts: (path: string, n: number) => RequestParts;
  /** Whether every request needs a project of its own. */
  readonly consumes?: boolean;
  /** Whether the request leaves work that is done after its answer. */
  readonly leavesWork?: boolean;
}

const PROJECTS = '/segments/projects';
const GZIP = { 'Accept-Encoding': 'gzip' };
const get = (path: string, headers: Readonly<Record<string, string>> = GZIP): RequestParts => ({
  method: 'GET',
  path,
  headers,
});
const OUTDATED = { 'If-Match': `"${Buffer.from(JSON.stringify([1, null, 1, 1, 1])).toString('base64url')}"` };

const READS: readonly (readonly [operation: string, end: string, status?: number, coding?: string])[] = [
  ['get', ''],
  ['get, ?taskId', '?taskId=task-7'],
  ['progress', '/progress', 200],
  ['progress, ?taskId', '/progress?taskId=task-7'],
  ['segments, whole', '/segments', 406],
  ['segments, whole, without gzip', '/segments', 406, 'identity'],
  ['segments, ?limit=1000', '/segments?limit=1000'],
  ['segments, ?taskId', '/segments?taskId=task-7'],
  ['segments, ?status&limit=1', '/segments?status=proofread&limit=1'],
  ['segments, ?status of nothing', '/segments?status=pretranslated'],
  ['plan, ?taskId', '/deletion?taskId=task-7'],
  ['plan', '/deletion'],
];

function readsOf(shape: Dear['shape'], hasTasks: boolean, others: Readonly<Record<string, number>> = {}): Dear[] {
  return READS.filter(([operation]) => hasTasks || !operation.includes('taskId')).map(
    ([operation, end, status = 200, coding = 'gzip']) => ({
      operation,
      shape,
      status: others[operation] ?? status,
      parts: (path) => get(`${path}${end}`, { 'Accept-Encoding': coding }),
    }),
  );
}

const remove = (path: string, headers: Readonly<Record<string, string>> = {}): RequestParts => ({
  method: 'DELETE',
  path,
  headers,
});

const DEAR: readonly Dear[] = [
  ...readsOf('own tasks', true, { progress: 406, 'segments, whole': 200 }),
  ...readsOf('shared tasks', true, { progress: 406 }),
  ...readsOf('translated', true, { progress: 406 }),
  ...readsOf('translated tasks', true, { progress: 406 }),
  ...readsOf('translated long texts', true, { progress: 406 }),
  ...readsOf('full of translations', false, { 'segments, whole': 200 }),
  ...readsOf('1,000 tasks', true),
  ...readsOf('no tasks', false),
  ...readsOf('4 MiB', false, { 'segments, whole': 200 }),
  ...readsOf('notes', false, { 'segments, whole': 200 }),
  ...readsOf('teams', false, { 'segments, whole': 200, 'segments, whole, without gzip': 200 }),
  { operation: 'list, whole', shape: '300 teams', status: 406, parts: () => get(PROJECTS) },
  { operation: 'list, ?limit', shape: '300 teams', status: 200, parts: () => get(`${PROJECTS}?limit=100`) },
  {
    operation: 'list, ?done=true',
    shape: '300 teams',
    status: 200,
    parts: () => get(`${PROJECTS}?done=true&customIdPrefix=none`),
  },
  {
    operation: 'list, ?done=true&limit',
    shape: '300 teams',
    status: 200,
    parts: () => get(`${PROJECTS}?done=true&customIdPrefix=none&limit=1`),
  },
  ...(['own tasks', 'shared tasks', 'two tasks', 'translated'] as const).map(
    (shape): Dear => ({
      operation: 'delete, ?taskId, outdated plan',
      shape,
      status: 412,
      parts: (path) => remove(`${path}?taskId=${shape === 'two tasks' ? 'odd' : 'task-7'}`, OUTDATED),
    }),
  ),
  ...(['own tasks', 'shared tasks', 'translated', 'translated tasks', 'translated long texts'] as const).map(
    (shape): Dear => ({
      operation: 'delete, ?taskId',
      shape,
      status: 204,
      leavesWork: true,
      parts: (path, n) => remove(`${path}?taskId=task-${n + 8}`),
    }),
  ),
  {
    operation: 'delete, ?taskId',
    shape: 'two tasks',
    status: 204,
    consumes: true,
    parts: (path) => remove(`${path}?taskId=odd`),
  },
  ...(['own tasks', 'no tasks', 'notes', 'teams'] as const).map(
    (shape): Dear => ({
      operation: 'delete',
      shape,
      status: 204,
      consumes: true,
      parts: (path) => remove(path),
    }),
  ),
  ...(['own tasks', 'shared tasks', '4 MiB', 'notes', 'teams'] as const).flatMap((shape): Dear[] => {
    const parts = (query: string) => {
      const body = lazy(() => Buffer.from(JSON.stringify(SHAPES[shape]())));
      return () => ({ method: 'POST', path: `${PROJECTS}${query}`, headers: GZIP, body: body() });
    };
    const keyed = () => ({ ...parts('')(), headers: { ...GZIP, 'Idempotency-Key': randomUUID() } });
    return [
      { operation: 'validateOnly', shape, status: 200, parts: parts('?validateOnly=true') },
      { operation: 'create', shape, status: 201, parts: parts('') },
      { operation: 'create, with a key', shape, status: 201, parts: keyed },
    ];
  }),
  ...(['shared tasks', 'no tasks'] as const).flatMap((shape): Dear[] => [
    { operation: 'write 1,000 translations', shape, status: 200, leavesWork: true, parts: writeSpread },
    { operation: 'change a language', shape, status: 200, parts: changeLanguage },
  ]),
];

const CODES = asObjects(SHAPES.teams()['targetLanguages']).map((entry) => String(entry['targetLanguageCode']));

/** Writes a translation into each of 20 chunks of 50 languages. The ids of a project's segments follow its own. */
function writeSpread(path: string, n: number): RequestParts {
  const first = Number(path.split('/').at(-1)) + 1 + CODES.length;
  const entries = Array.from({ length: 1_000 }, (_, index) => ({
    segmentId: first + (index % 20) * 2_500 + 100 + n,
    languageCode: CODES[Math.floor(index / 20)],
    content: 'x',
    status: 'translated',
  }));
  const body = Buffer.from(JSON.stringify(entries));
  return { method: 'PATCH', path: `${path}/translations`, headers: GZIP, body };
}

function changeLanguage(path: string, n: number): RequestParts {
  const body = Buffer.from(JSON.stringify({ state: n % 2 ? 'InProgress' : 'InPreparation' }));
  return { method: 'PATCH', path: `${path}/languages/${CODES[0]}`, headers: GZIP, body };
}

/**
 * Measures the processor time of the dearest requests of each operation. It needs Linux.
 * @returns a Markdown table. `beyond` is the time without that for the bytes of the answer, and `afterwards` the time of
 *   the work that the request leaves for later
 */
export async function dearest(profile?: string): Promise<string> {
  await using segue = await hosted(profile)();
  const paths = new Map<string, string>();
  const rows: string[][] = [];
  for (const dear of DEAR) {
    const make = () => prepare(segue, dear.shape);
    const path = async () => {
      if (dear.consumes) return make();
      const known = paths.get(dear.shape) ?? (await make());
      paths.set(dear.shape, known);
      return known;
    };
    rows.push(await measure(segue, dear, path));
  }
  return markdownTable(['request', 'project', 'status', 'answer', 'CPU', 'beyond', 'afterwards'], rows);
}

async function measure(segue: Segue, dear: Dear, path: () => Promise<string>): Promise<string[]> {
  const isNew = /^(validate|create)/.test(dear.operation);
  const requests: Buffer[] = [];
  for (let n = 0; n < WARM_UP + ROUNDS; n++) requests.push(segue.request(dear.parts(isNew ? '' : await path(), n)));
  using connection = await segue.connect();
  let answer: Answer | undefined;
  let [sum, later] = [0, 0];
  for (const [n, request] of requests.entries()) {
    const began = segue.cpuMs();
    answer = requireStatus(await connection.exchange(request), dear.status);
    const ended = segue.cpuMs();
    if (dear.leavesWork) await untilIdle(segue);
    if (n < WARM_UP) continue;
    sum += ended - began;
    later += segue.cpuMs() - ended;
  }
  const cpuMs = sum / ROUNDS;
  const plain = answer && dear.status < 300 && dear.status !== 204 ? plainBody(answer) : Buffer.alloc(0);
  const beyond = Math.max(cpuMs - floorMs(plain, answer?.body().length ?? 0), 0);
  return [
    dear.operation,
    dear.shape,
    String(dear.status),
    `${Math.round(plain.length / 1_000)} KB`,
    `${cpuMs.toFixed(0)} ms`,
    `${beyond.toFixed(0)} ms`,
    dear.leavesWork ? `${(later / ROUNDS).toFixed(0)} ms` : '',
  ];
}

/** Returns the processor time that the bytes of an answer need: to compress them, and to encode them for API Gateway. */
function floorMs(plain: Buffer, length: number): number {
  const began = process.cpuUsage();
  const bytes = length < plain.length ? gzipSync(plain, { level: LEVEL }) : plain;
  Buffer.from(bytes.toString('base64'), 'base64');
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

async function prepare(segue: Segue, shape: Dear['shape']): Promise<string> {
  using connection = await segue.connect();
  const create = async (project: object) => {
    const body = Buffer.from(JSON.stringify(project));
    const request = segue.request({ method: 'POST', path: PROJECTS, headers: GZIP, body });
    return `${PROJECTS}/${createdId(requireStatus(await connection.exchange(request), 201))}`;
  };
  if (shape === '300 teams') {
    let path = '';
    for (let n = 0; n < 300; n++) path = await create(SHAPES.teams());
    return path;
  }
  if (shape === '1,000 tasks') {
    const project = SHAPES['shared tasks']();
    return await create({
      ...project,
      targetLanguages: asObjects(project['targetLanguages']).slice(0, 100),
      segments: asObjects(project['segments']).map((each, n) => ({ ...each, taskId: `task-${n % 1_000}` })),
    });
  }
  if (!isTranslated(shape)) return await create(SHAPES[shape]());
  const { project, segments, content } = TRANSLATED[shape];
  const path = await create(project());
  await translate(segue, path, segments, content);
  return path;
}

/** Projects with translations in all languages: of these segments, by their indexes. */
const TRANSLATED = {
  /** In each chunk, so that no work on it can be left out. */
  translated: { project: SHAPES['shared tasks'], segments: every(500, 50_000), content: 'x' },
  /** Each segment of the tasks that are read and deleted. */
  'translated tasks': {
    project: SHAPES['shared tasks'],
    segments: every(1, 50_000).filter((n) => n % 1_333 >= 7 && n % 1_333 < 7 + TASKS),
    content: 'x',
  },
  'translated long texts': { project: SHAPES['long texts'], segments: every(50, 4_000), content: 'x' },
  /** As many bytes as are read together. */
  'full of translations': { project: SHAPES['500 segments'], segments: every(1, 500), content: 'x'.repeat(520) },
} as const;

function every(step: number, count: number): number[] {
  return Array.from({ length: count / step }, (_, n) => n * step);
}

function isTranslated(shape: Dear['shape']): shape is keyof typeof TRANSLATED {
  return shape in TRANSLATED;
}

const Page = z.array(
  z.object({ source: z.object({ id: z.int() }), translations: z.array(z.object({ languageCode: z.string() })) }),
);

/** Writes a content into every language of some segments. */
async function translate(segue: Segue, path: string, segments: readonly number[], content: string): Promise<void> {
  using connection = await segue.connect();
  const request = segue.request(get(`${path}/segments?limit=1`));
  const [entry] = Page.parse(JSON.parse(plainBody(requireStatus(await connection.exchange(request), 200)).toString()));
  const entries = (entry?.translations ?? []).flatMap(({ languageCode }) =>
    segments.map((index) => ({
      segmentId: (entry?.source.id ?? 0) + index,
      languageCode,
      content,
      status: 'translated',
    })),
  );
  for (let from = 0; from < entries.length; from += 1_000) {
    const body = Buffer.from(JSON.stringify(entries.slice(from, from + 1_000)));
    const write = segue.request({ method: 'PATCH', path: `${path}/translations`, headers: GZIP, body });
    requireStatus(await connection.exchange(write), 200);
  }
  await untilIdle(segue);
}

/** Waits until the worker has folded all edits into the chunks: until the process needs no time in a second. */
async function untilIdle(segue: Segue): Promise<void> {
  for (let before = 0, now = segue.cpuMs(); now - before > IDLE_MS; now = segue.cpuMs()) {
    before = now;
    await setTimeout(1_000);
  }
}
