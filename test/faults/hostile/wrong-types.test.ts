import { afterAll, describe, expect, test } from 'vitest';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../../../lib/contract/project.ts';
import { type Answer, Api, projectIn } from '../../contract/api.ts';
import { problemOf } from '../../contract/problems.ts';
import { EXTENSIONS, type Row, TABLES } from '../../contract/tables.ts';
import { startGateway } from '../../support/gateway.ts';
import { member, smallProject, target } from '../../support/projects.ts';
import { standardValue, withBytesAt } from './splice.ts';

/** Every object of a request, by the pointer of the one that `smallProject` has. */
const OBJECTS = {
  '': ProjectRequest,
  '/targetLanguages/0': TargetLanguage,
  '/targetLanguages/0/team/0': TeamMember,
  '/segments/0': Segment,
  '/segments/0/languageSpecificNotes/0': LanguageNote,
} as const;

const FIELDS = [...TABLES, ...EXTENSIONS].flatMap(({ pointer, rows }) =>
  rows.map((row) => ({ row, pointer: `${pointer}/${row.field}` })),
);
const ENTRIES = Object.keys(OBJECTS).map((pointer) => ({ row: undefined, pointer }));

/** What is put everywhere, as JSON. */
const VALUES = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e400', '-1e400', '1e-400', '9007199254740992', '1e21'],
  ...['""', '" "', '"x"', '"\\u0000"', '"\\ud800"', '"true"', '"1"', '"null"', '"__proto__"', '"\\u202e"'],
  ...['[]', '{}', '[[]]', '[{}]', '[null]', '[0]', '["x"]', '[[[[[[[[]]]]]]]]', '{"a":{"a":{"a":{"a":{}}}}}'],
  ...['{"__proto__":null}', '{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'],
  ...['{"length":1,"0":"x"}', '{"toString":0,"valueOf":0}', '{"toJSON":"x"}', '{"then":"x"}'],
  ...[1_001, 10_001, 100_000].map((length) => JSON.stringify('long '.padEnd(length, 'x'))),
  JSON.stringify(Array.from({ length: 1_000 }, () => null)),
  JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`field ${n}`, n]))),
];
/** Deeper than a body may be nested, wherever it is put. */
const TOO_DEEP = '[{"a":'.repeat(10) + 1 + '}]'.repeat(10);

test('the tables name every field that the schemas have', () => {
  for (const [place, { shape }] of Object.entries(OBJECTS)) {
    const named = FIELDS.filter(({ pointer }) => pointer.slice(0, pointer.lastIndexOf('/')) === place);
    const fields = Object.keys(shape).map((field) => `${place}/${field}`);
    expect(named.map(({ pointer }) => pointer).sort()).toEqual(fields.sort());
  }
});

describe('any value at', async () => {
  const gateway = await startGateway();
  afterAll(() => gateway.stop());
  const api = new Api({ ...gateway, name: 'wrong types' });
  let created = 0;

  // A proofreader beside the translator: whatever becomes of the translator, the rule of the team is tried too.
  const team = [member({ isProofreader: true })];
  const post = (pointer: string, json: string) => {
    const project = smallProject({ targetLanguages: [target({ team })] });
    const body = pointer === '' ? Buffer.from(json) : withBytesAt(project, pointer, Buffer.from(json));
    return api.post(undefined, '', { body });
  };

  test.each([...FIELDS, ...ENTRIES])('"$pointer" is legal, or refused there', async ({ row, pointer }) => {
    for (const json of VALUES) {
      const answer = await post(pointer, json);
      if (row && isLegal(row, pointer, standardValue(Buffer.from(json))?.value)) {
        projectIn(answer, 201);
        created += 1;
      } else {
        expectRefusedAt(pointer, answer, json.slice(0, 100));
      }
    }
    expect(problemOf(await post(pointer, TOO_DEEP)).errors).toMatchObject([{ code: 'too-deep' }]);
  });

  test('nothing was created but what was answered so', async () => {
    expect(await api.list()).toHaveLength(created);
    expect(created).toBeGreaterThan(100);
  });
});

/** Expects a fault at a place, inside it, or at what holds it. */
function expectRefusedAt(place: string, answer: Answer, json: string): void {
  const { type, errors = [] } = problemOf(answer);
  const name = type.slice(type.lastIndexOf('/') + 1);
  const inside = (pointer: string, other: string) => `${pointer}/`.startsWith(`${other}/`);
  const isRole = place.endsWith('/isTranslator') && /^(null|false)$/.test(json);
  expect([answer.status, name], json).toEqual(isRole ? [500, 'team-without-translator'] : [400, 'invalid-project']);
  expect(
    errors.map(({ pointer }) => pointer).filter((pointer) => inside(pointer, place) || inside(place, pointer)),
    json,
  ).not.toEqual([]);
}

/** Whether the contract takes a value that stands in `VALUES`. */
function isLegal({ type, required, bad = [] }: Row, pointer: string, value: unknown): boolean {
  // Without a translator the proofreader is alone.
  if (pointer.endsWith('/isTranslator')) return value === true;
  if (value === null) return !required;
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value) && value.length === 0 && bad.length === 0;
    case 'string':
      return typeof value === 'string' && value.isWellFormed() && (TEXTS[pointer] ?? atMost(1_000))(value);
    default:
      return false;
  }
}

function atMost(length: number) {
  return (text: string) => text.length <= length;
}
const isVisible = (text: string) => atMost(1_000)(text) && /[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
const never = () => false;

/** Texts that have a rule of their own. */
const TEXTS: Readonly<Record<string, (text: string) => boolean>> = {
  '/name': isVisible,
  '/customId': (text) => text !== '' && text.length <= 255,
  '/taskId': isVisible,
  '/description': atMost(10_000),
  '/sourceLanguageCode': never,
  '/eventUrl': never,
  '/targetLanguages/0/targetLanguageCode': never,
  '/targetLanguages/0/state': never,
  '/targetLanguages/0/additionalInfo': atMost(10_000),
  '/targetLanguages/0/team/0/name': isVisible,
  '/targetLanguages/0/team/0/username': never,
  '/segments/0/content': (text) => text !== '',
  '/segments/0/notes': atMost(10_000),
  '/segments/0/taskId': isVisible,
  '/segments/0/languageSpecificNotes/0/languageCode': never,
  '/segments/0/languageSpecificNotes/0/note': atMost(10_000),
};
