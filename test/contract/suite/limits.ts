import { afterEach, describe, expect, test } from 'vitest';
import type { FaultCode } from '../../../lib/contract/fault.ts';
import { type Json, type JsonObject, member, segment, segments, smallProject, target } from '../../support/projects.ts';
import { languagesAnswer } from '../answers.ts';
import { type Api, byId } from '../api.ts';
import { withValueAt } from '../pointer.ts';
import { expectInvalid, expectProblem } from '../problems.ts';

const TARGET = '/targetLanguages/0';
const MEMBER = `${TARGET}/team/0`;
const NOTE = '/segments/0/languageSpecificNotes/0';

/** Fields of up to 1,000 characters: "any other string". Codes, states, dates and addresses are bound by their own rules. */
const SHORT = [
  ...['/taskId', '/name', '/referenceNumber', '/customField1', '/customField2'],
  ...['referenceNumber', 'customField1', 'customField2'].map((field) => `${TARGET}/${field}`),
  ...['name', 'phone'].map((field) => `${MEMBER}/${field}`),
  ...['customId', 'taskId'].map((field) => `/segments/0/${field}`),
];
/** Fields of up to 10,000 characters. */
const LONG = ['/description', `${TARGET}/additionalInfo`, '/segments/0/notes', `${NOTE}/note`];

/** "Limits" of "Fields" in `decisions.md` that are counted: each at the limit and one over. Bytes are in `sizes.ts`. */
export function limits(api: Api): void {
  const accepts = async (project: JsonObject) => {
    const { status, text } = await api.check(project);
    expect(status, text.slice(0, 500)).toBe(200);
  };
  const limit = (title: string, pointer: string, code: FaultCode, atMost: Json, tooMuch: Json) =>
    test(title, async () => {
      await accepts(withValueAt(smallProject(), pointer, atMost));
      expectInvalid(await api.check(withValueAt(smallProject(), pointer, tooMuch)), [pointer, code]);
    });

  describe('Limits: characters are Unicode code points', () => {
    afterEach(() => api.cleanUp());

    const characters = (pointer: string, count: number) =>
      limit(`${pointer}: ${count}`, pointer, 'too-long', '😀'.repeat(count), '😀'.repeat(count + 1));

    characters('/customId', 255);
    for (const pointer of SHORT) characters(pointer, 1_000);
    for (const pointer of LONG) characters(pointer, 10_000);

    const url = (length: number) => 'https://example.com/'.padEnd(length, 'x');
    limit('/eventUrl: 1000', '/eventUrl', 'too-long', url(1_000), url(1_001));

    test('a custom id of 255 characters of four bytes still leads to its project', async () => {
      const customId = '😀'.repeat(255);
      const { id } = await api.create(smallProject({ customId }));
      expect((await api.read(`/segments/projects/custom/${encodeURIComponent(customId)}`)).id).toBe(id);
    });

    test('a task id of 1,000 characters still leads to its task', async () => {
      const taskId = 'é'.repeat(1_000);
      const { id } = await api.create(smallProject({ taskId }));
      expect((await api.delete(`${byId(id)}?taskId=${encodeURIComponent(taskId)}`)).status).toBe(204);
    });
  });

  describe('Limits: counts', () => {
    limit('50,000 segments', '/segments', 'too-many', segments(50_000), segments(50_001));

    const team = (count: number) => Array.from({ length: count }, (_, n) => member({}, n + 1));
    limit('50 members a team', `${TARGET}/team`, 'too-many', team(50), team(51));

    const notes = (count: number) => Array.from({ length: count }, () => ({ languageId: 53, note: 'x' }));
    const ofSegment = '/segments/0/languageSpecificNotes';
    limit('200 notes a segment', ofSegment, 'too-many', notes(200), notes(201));

    test('150 target languages', async () => {
      const { text } = await api.get('/integrations/languages');
      const targets = languagesAnswer
        .parse(JSON.parse(text))
        .filter(({ id }) => id !== 41)
        .map(({ id }) => target({ targetLanguageId: id, targetLanguageCode: null }));
      await accepts(smallProject({ targetLanguages: targets.slice(0, 150) }));
      expectInvalid(await api.check(smallProject({ targetLanguages: targets.slice(0, 151) })), [
        '/targetLanguages',
        'too-many',
      ]);
    });

    test('JSON depth: a project of the deepest kind is far from it, and 17 is refused', async () => {
      await accepts(smallProject());
      const deep = `${'['.repeat(16)}${']'.repeat(16)}`;
      expectProblem(await api.post(undefined, '', { body: `{"name":${deep}}` }), 'malformed-json');
    });
  });

  describe('Limits: a content', () => {
    const MIB = 1_048_576;
    limit('1 MiB, in ASCII', '/segments/0/content', 'too-long', 'x'.repeat(MIB), 'x'.repeat(MIB + 1));
    limit(
      '1 MiB, bytes being UTF-8',
      '/segments/0/content',
      'too-long',
      'é'.repeat(MIB / 2),
      `${'é'.repeat(MIB / 2)}x`,
    );

    test('1 MiB comes back byte for byte', async () => {
      const content = '人'.repeat(MIB / 3 - 1);
      const { id } = await api.create(smallProject({ segments: [segment({ content })] }));
      expect((await api.read(byId(id))).segments[0]?.content === content).toBe(true);
      await api.cleanUp();
    });
  });
}
