import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { FaultCode } from '../../lib/contract/faults.ts';
import type { LIMITS } from '../../lib/contract/limits.ts';
import { type Json, type JsonObject, member, segments, smallProject, target } from '../support/projects.ts';
import { languagesAnswer } from './answers.ts';
import { type Answer, type Api, byCustomId, byId, PROJECTS } from './api.ts';
import { filledTo } from './filled.ts';
import { withValueAt } from './pointer.ts';
import { type ExpectedFault, expectInvalid, expectProblem, type TestedProblem } from './problems.ts';
import { EXTENSIONS, type Row, TABLES } from './tables.ts';

/** One way to send a number of things, with checks of the answer within the limit and of the answer over it. */
export interface Way {
  readonly title: string;
  readonly send: (api: Api, count: number) => Promise<Answer>;
  readonly within: (answer: Answer, count: number) => void;
  /** Checks the answer to one thing too many. The answer must name the limit. */
  readonly over: (answer: Answer, most: number) => void;
}

/** A limit of "Fields" in `decisions.md`, with the number that stands there. */
interface Limit {
  readonly most: number;
  /** The ways to test the limit: each sends one less than the limit, the limit, and one more. */
  readonly ways: readonly Way[];
  /** The file that tests the limit, if the limit is not a number of things in a request. */
  readonly elsewhere?: string;
}

const TEAM = '/targetLanguages/0/team';
const CONTENT = '/segments/0/content';
const NOTES = '/segments/0/languageSpecificNotes';

/** Every limit of the code. */
export const LIMIT_ROWS: Readonly<Record<keyof typeof LIMITS, Limit>> = {
  bodyBytes: {
    most: 4_194_304,
    ways: [
      body('as it is', padded),
      body('gzip', (bytes) => gzipSync(padded(bytes))),
      body('of characters with three bytes', (bytes) => JSON.stringify(filledTo(bytes, smallProject(), '人'))),
      body('the same as gzip', (bytes) => gzipSync(JSON.stringify(filledTo(bytes, smallProject(), '人')))),
      body('of characters that are escaped', (bytes) => JSON.stringify(filledTo(bytes, smallProject(), '\u0001'))),
    ],
  },
  signInBytes: {
    most: 8_192,
    ways: [
      signIn('of a sign-in as it is sent', '/authentication/token', (bytes) => '{}'.padEnd(bytes)),
      signIn('of a refresh as it is sent', '/authentication/RefreshToken', (bytes) => '{}'.padEnd(bytes)),
      signIn('of a sign-in that is gzip', '/authentication/token', (bytes) => gzipSync('{}'.padEnd(bytes))),
      signIn('of a sign-in in gzip as it is sent', '/authentication/token', gzipOf),
    ],
  },
  webhookBytes: {
    most: 262_144,
    ways: [
      {
        title: 'of a message, whoever sends it',
        send: (api, count) => api.send('POST', '/webhooks/none', { body: Buffer.alloc(count, 'x') }),
        within: (answer) => expectProblem(answer, 'source-not-found'),
        over: (answer, most) => expect(expectProblem(answer, 'too-large').detail).toContain(String(most)),
      },
    ],
  },
  jsonDepth: {
    most: 16,
    ways: [
      depth('lists', (inside) => `[${inside}]`),
      depth('objects', (inside) => `{"x":${inside}}`),
      depth('both', (inside, level) => (level % 2 ? `[${inside}]` : `{"x":${inside}}`)),
    ],
  },
  jsonValues: {
    most: 500_000,
    ways: [
      count('in a list', (values) => `[${'0,'.repeat(values - 2)}0]`),
      count('in objects', (values) => `[${'{},'.repeat(values - 2)}{}]`),
    ],
  },
  jsonNames: {
    most: 1_000,
    ways: [count('in 50,001 fields', (names) => `[${times(50_001, (n) => `{"${n % names}":0}`).join(',')}]`)],
  },
  segments: { most: 50_000, ways: [field('/segments', 'too-many', segments)] },
  targetLanguages: {
    most: 150,
    ways: [
      {
        title: '/targetLanguages',
        send: async (api, count) => api.check(smallProject({ targetLanguages: await targets(api, count) })),
        within: accepted,
        over: (answer, most) => refused(answer, 'invalid-project', most, ['/targetLanguages', 'too-many']),
      },
    ],
  },
  notesPerSegment: {
    most: 200,
    ways: [field(NOTES, 'too-many', (count) => times(count, () => ({ languageId: 53, note: 'x' })))],
  },
  membersPerTeam: {
    most: 50,
    ways: [field(TEAM, 'too-many', (count) => times(count, (n) => member({}, n + 1)))],
  },
  taskLanguages: { most: 200_000, ways: [4, 100].map(tasksIn) },
  contentPieces: { most: 20_000, ways: [], elsewhere: 'test/lib/hosted/translation/content-reader.test.ts' },
  automaticSentences: { most: 2_000_000, ways: [], elsewhere: 'test/lib/contract/sentence-count.test.ts' },
  translations: { most: 1_000, ways: [], elsewhere: 'test/lib/contract/check-translations.test.ts' },
  contentBytes: {
    most: 1_048_576,
    ways: ['x', 'é', '人', '😀'].map((character) =>
      field(CONTENT, 'too-long', (bytes) => ofBytes(character, bytes), `${CONTENT}: ${character}`),
    ),
  },
  customIdCharacters: { most: 255, ways: strings(255) },
  stringCharacters: {
    most: 1_000,
    ways: [
      ...strings(1_000),
      taskIdOf('GET', byId(1)),
      taskIdOf('DELETE', byId(1)),
      taskIdOf('GET', byCustomId('none')),
      taskIdOf('GET', `${byId(1)}/segments`),
      taskIdOf('GET', `${byCustomId('none')}/progress`),
    ],
  },
  freeTextCharacters: { most: 10_000, ways: strings(10_000) },
  faults: {
    most: 100,
    ways: [
      faults('invalid-project', (api, count) =>
        api.check(smallProject({ segments: segments(count, { content: '' }) })),
      ),
      faults('malformed-json', (api, count) => {
        const members = times(count, (n) => `"${n}":1,"${n}":1`);
        return api.post(undefined, '', { body: `{${members.join(',')}}` });
      }),
      faults('unknown-parameter', (api, count) => api.get(`${PROJECTS}?${times(count, (n) => `x${n}=1`).join('&')}`)),
    ],
  },
  startDateToleranceMs: { most: 300_000, ways: [], elsewhere: 'test/lib/contract/check-project.test.ts' },
  listMax: {
    most: 100,
    ways: [
      {
        title: '?limit',
        send: (api, limit) => api.get(`${PROJECTS}?limit=${limit}`),
        within: accepted,
        over: (answer, most) => refused(answer, 'invalid-parameter', most, ['/query/limit', 'invalid-parameter']),
      },
    ],
  },
  eventsMax: {
    most: 1_000,
    ways: [
      {
        title: 'GET /events?limit',
        send: (api, limit) => api.get(`/events?limit=${limit}`),
        within: (answer) => expect(answer.status).toBe(200),
        over: (answer, most) => refused(answer, 'invalid-parameter', most, ['/query/limit', 'invalid-parameter']),
      },
    ],
  },
  segmentsMax: {
    most: 1_000,
    ways: [byId(1), byCustomId('none')].map((path) => ({
      title: `GET ${path}/segments?limit`,
      send: (api, limit) => api.get(`${path}/segments?limit=${limit}`),
      within: (answer) => void expectProblem(answer, 'project-not-found'),
      over: (answer, most) => refused(answer, 'invalid-parameter', most, ['/query/limit', 'invalid-parameter']),
    })),
  },
  shownSegmentBytes: { most: 8_388_608, ways: [], elsewhere: 'test/lib/hosted/work/long-contents.test.ts' },
  progressEntries: { most: 100_000, ways: [], elsewhere: 'test/lib/hosted/read-progress.test.ts' },
  wholeListProjects: { most: 10_000, ways: [], elsewhere: 'test/lib/http/list-projects.test.ts' },
  wholeListBytes: { most: 67_108_864, ways: [], elsewhere: 'test/lib/http/list-projects.test.ts' },
};

function accepted({ status, text }: Answer): void {
  expect(status, text.slice(0, 500)).toBe(200);
}

/** Expects a fault that names the limit. */
function refused(answer: Answer, type: TestedProblem, most: number, ...faults: readonly ExpectedFault[]): void {
  const { detail, errors = [] } = expectProblem(answer, type, faults.length > 0 ? faults : undefined);
  expect([detail, ...errors.map((fault) => fault.detail)].join(' ')).toMatch(new RegExp(`\\b${most}\\b`));
}

function body(title: string, make: (bytes: number) => string | Uint8Array): Way {
  return {
    title,
    send: (api, bytes) => api.post(undefined, '?validateOnly=true', { body: make(bytes) }),
    within: accepted,
    over: (answer, most) => refused(answer, 'too-large', most),
  };
}

function padded(bytes: number): string {
  return JSON.stringify(smallProject()).padEnd(bytes, ' ');
}

/** Returns a way that nests values in a body. The body is no project, so within the limit only that is refused. */
function depth(title: string, wrap: (inside: string, level: number) => string): Way {
  const nested = (levels: number) => times(levels, (n) => n).reduce(wrap, '1');
  return {
    title,
    send: (api, levels) => api.post(undefined, '', { body: nested(levels) }),
    within: (answer) => void expectProblem(answer, 'invalid-project'),
    over: (answer, most) => refused(answer, 'malformed-json', most, ['', 'too-deep']),
  };
}

/** Returns a way that repeats something in a body. The body is no project, so within the limit only that is refused. */
function count(title: string, make: (count: number) => string): Way {
  return {
    title,
    send: (api, number) => api.post(undefined, '', { body: make(number) }),
    within: (answer) => void expectProblem(answer, 'invalid-project'),
    over: (answer, most) => refused(answer, 'malformed-json', most, ['', 'too-many']),
  };
}

/** Returns a way that sends a body without valid credentials, of a given number of bytes. */
function signIn(title: string, path: string, make: (bytes: number) => string | Uint8Array): Way {
  const headers = { authorization: null, 'content-type': 'application/json' };
  return {
    title,
    send: (api, bytes) => api.send('POST', path, { body: make(bytes), headers }),
    within: (answer) => void expectProblem(answer, 'unauthenticated'),
    over: (answer, most) => refused(answer, 'too-large', most),
  };
}

/** Returns gzip of an empty object, padded to `bytes` bytes with a file name (RFC 1952). */
function gzipOf(bytes: number): Uint8Array {
  const [header, packed] = [Buffer.of(0x1f, 0x8b, 8, 0x08, 0, 0, 0, 0, 0, 3), gzipSync('{}').subarray(10)];
  return Buffer.concat([header, Buffer.alloc(bytes - header.length - packed.length - 1, 'x'), Buffer.of(0), packed]);
}

/** Returns a way that sends a field with a value of a given size. Its fault must name the limit. */
function field(pointer: string, code: FaultCode, make: (count: number) => Json, title = pointer): Way {
  return {
    title,
    send: (api, count) => api.check(withValueAt(smallProject(), pointer, make(count))),
    within: accepted,
    over: (answer, most) => refused(answer, 'invalid-project', most, [pointer, code]),
  };
}

/** Returns a way for every string field of the tables whose limit is `most` code points. */
function strings(most: number): Way[] {
  const places = [...TABLES, ...EXTENSIONS].flatMap(({ pointer, rows }) =>
    rows.map((row) => ({ ...row, pointer: `${pointer}/${row.field}` })),
  );
  return places.filter((row) => row.type === 'string' && mostOf(row) === most).map(string);
}

function mostOf({ most = 1_000 }: Row): number | null {
  return most;
}

function string({ pointer, long = emoji, longFault }: Row & { readonly pointer: string }): Way {
  const way = field(pointer, 'too-long', long);
  if (longFault === undefined) return way;
  const both = [pointer, 'too-long', longFault] as const;
  return {
    ...way,
    within: (answer) => void expectInvalid(answer, [pointer, longFault]),
    over: (answer, most) => refused(answer, 'invalid-project', most, both, both),
  };
}

function emoji(codePoints: number): string {
  return '😀'.repeat(codePoints);
}

/**
 * Returns a way that sends `taskId` for an unknown project. Half of it are emoji: with more, a gateway refuses the URL.
 */
function taskIdOf(method: 'GET' | 'DELETE', path: string): Way {
  const taskId = (count: number) => 'x'.repeat(Math.ceil(count / 2)) + emoji(Math.floor(count / 2));
  return {
    title: `${method} ${path}?taskId`,
    send: (api, count) => api.send(method, `${path}?taskId=${encodeURIComponent(taskId(count))}`),
    within: (answer) => void expectProblem(answer, 'project-not-found'),
    over: (answer, most) => refused(answer, 'invalid-parameter', most, ['/query/taskId', 'invalid-parameter']),
  };
}

/** Returns a way that causes `count` faults in one request. The answer lists at most the first hundred. */
function faults(type: TestedProblem, send: Way['send']): Way {
  const told = (answer: Answer) => expectProblem(answer, type).errors;
  return {
    title: type,
    send,
    within: (answer, count) => expect(told(answer)).toHaveLength(count),
    over: (answer, most) => expect(told(answer)).toHaveLength(most),
  };
}

/** Returns a way that sends tasks in a number of languages: one of each segment, and that of the project. */
function tasksIn(languages: number): Way {
  return {
    title: `tasks in ${languages} languages`,
    send: async (api, count) => {
      const tasks = times(Math.ceil(count / languages) - 1, (n) => ({ content: 'x', taskId: `t${n}` }));
      const targetLanguages = await targets(api, languages);
      return api.check(smallProject({ taskId: 'own', segments: tasks, targetLanguages }));
    },
    within: accepted,
    over: (answer, most) => refused(answer, 'invalid-project', most, ['/segments', 'too-many']),
  };
}

async function targets(api: Api, count: number): Promise<JsonObject[]> {
  const languages = languagesAnswer.parse(JSON.parse((await api.get('/integrations/languages')).text));
  const others = languages.filter(({ id }) => id !== smallProject()['sourceLanguageId']);
  return others.slice(0, count).map(({ id }) => target({ targetLanguageId: id, targetLanguageCode: null }));
}

/** Returns a text of `bytes` bytes in UTF-8. It repeats one character, and fills the rest with x. */
function ofBytes(character: string, bytes: number): string {
  const width = Buffer.byteLength(character);
  return character.repeat(Math.floor(bytes / width)) + 'x'.repeat(bytes % width);
}

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
