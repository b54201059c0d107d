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

/** One way to send so many of something, and what an answer says within the limit and one over it. */
export interface Way {
  readonly title: string;
  readonly send: (api: Api, count: number) => Promise<Answer>;
  readonly within: (answer: Answer, count: number) => void;
  /** The limit stands in what is said. */
  readonly over: (answer: Answer, most: number) => void;
}

/** A limit of "Fields" in `decisions.md`, with its number as it stands there. */
interface Limit {
  readonly most: number;
  /** Each is tried with one less, with as many, and with one more. */
  readonly ways: readonly Way[];
  /** The file whose tests are about it, where it is no number of things in a request. */
  readonly elsewhere?: string;
}

const TEAM = '/targetLanguages/0/team';
const CONTENT = '/segments/0/content';
const NOTES = '/segments/0/languageSpecificNotes';

/** Every limit that the code has. */
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
  startDateToleranceMs: { most: 300_000, ways: [], elsewhere: 'test/lib/contract/check.test.ts' },
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
  wholeListProjects: { most: 10_000, ways: [], elsewhere: 'test/lib/http/list-projects.test.ts' },
  wholeListBytes: { most: 67_108_864, ways: [], elsewhere: 'test/lib/http/list-projects.test.ts' },
};

function accepted({ status, text }: Answer): void {
  expect(status, text.slice(0, 500)).toBe(200);
}

/** Expects a fault that tells the limit. */
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

/** What is nested is no project; within the limit it is refused for that alone. */
function depth(title: string, wrap: (inside: string, level: number) => string): Way {
  const nested = (levels: number) => times(levels, (n) => n).reduce(wrap, '1');
  return {
    title,
    send: (api, levels) => api.post(undefined, '', { body: nested(levels) }),
    within: (answer) => void expectProblem(answer, 'invalid-project'),
    over: (answer, most) => refused(answer, 'malformed-json', most, ['', 'too-deep']),
  };
}

/** So much of something in a body that is no project; within the limit it is refused for that alone. */
function count(title: string, make: (count: number) => string): Way {
  return {
    title,
    send: (api, number) => api.post(undefined, '', { body: make(number) }),
    within: (answer) => void expectProblem(answer, 'invalid-project'),
    over: (answer, most) => refused(answer, 'malformed-json', most, ['', 'too-many']),
  };
}

/** A body of so many bytes that is no credentials. */
function signIn(title: string, path: string, make: (bytes: number) => string | Uint8Array): Way {
  const headers = { authorization: null, 'content-type': 'application/json' };
  return {
    title,
    send: (api, bytes) => api.send('POST', path, { body: make(bytes), headers }),
    within: (answer) => void expectProblem(answer, 'unauthenticated'),
    over: (answer, most) => refused(answer, 'too-large', most),
  };
}

/** An empty object as gzip of so many bytes, most of them the name of a file (RFC 1952). */
function gzipOf(bytes: number): Uint8Array {
  const [header, packed] = [Buffer.of(0x1f, 0x8b, 8, 0x08, 0, 0, 0, 0, 0, 3), gzipSync('{}').subarray(10)];
  return Buffer.concat([header, Buffer.alloc(bytes - header.length - packed.length - 1, 'x'), Buffer.of(0), packed]);
}

/** A field whose value can be of any size; the limit is told in its fault. */
function field(pointer: string, code: FaultCode, make: (count: number) => Json, title = pointer): Way {
  return {
    title,
    send: (api, count) => api.check(withValueAt(smallProject(), pointer, make(count))),
    within: accepted,
    over: (answer, most) => refused(answer, 'invalid-project', most, [pointer, code]),
  };
}

/** Every string field of the tables that takes so many code points. */
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

/** The query parameter, to a project that is not there. Half of it are emoji: of more a gateway takes no URL. */
function taskIdOf(method: 'GET' | 'DELETE', path: string): Way {
  const taskId = (count: number) => 'x'.repeat(Math.ceil(count / 2)) + emoji(Math.floor(count / 2));
  return {
    title: `${method} ${path}?taskId`,
    send: (api, count) => api.send(method, `${path}?taskId=${encodeURIComponent(taskId(count))}`),
    within: (answer) => void expectProblem(answer, 'project-not-found'),
    over: (answer, most) => refused(answer, 'invalid-parameter', most, ['/query/taskId', 'invalid-parameter']),
  };
}

/** So many faults in one request: the first hundred are told. */
function faults(type: TestedProblem, send: Way['send']): Way {
  const told = (answer: Answer) => expectProblem(answer, type).errors;
  return {
    title: type,
    send,
    within: (answer, count) => expect(told(answer)).toHaveLength(count),
    over: (answer, most) => expect(told(answer)).toHaveLength(most),
  };
}

async function targets(api: Api, count: number): Promise<JsonObject[]> {
  const languages = languagesAnswer.parse(JSON.parse((await api.get('/integrations/languages')).text));
  const others = languages.filter(({ id }) => id !== smallProject()['sourceLanguageId']);
  return others.slice(0, count).map(({ id }) => target({ targetLanguageId: id, targetLanguageCode: null }));
}

/** A text of so many bytes in UTF-8, of one character as far as that goes. */
function ofBytes(character: string, bytes: number): string {
  const width = Buffer.byteLength(character);
  return character.repeat(Math.floor(bytes / width)) + 'x'.repeat(bytes % width);
}

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
