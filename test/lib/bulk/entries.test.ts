import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, scan } from '../../../lib/bulk/entries.ts';
import type { Entry, Format } from '../../../lib/bulk/manifest.ts';
import { problemOf } from '../support.ts';
import { fileOf } from './file.ts';

const MARK = '\ufeff';
const endings = fc.constantFrom('\n', '\r\n');
const marks = fc.constantFrom('', MARK);
const chunks = fc.integer({ min: 1, max: 40 });
const runs = { numRuns: 300 };

/** The entries of a text: each with the line that an editor shows where it begins, and its text. */
async function read(content: string, format: Format, chunkBytes = 7) {
  const file = fileOf(content, chunkBytes);
  const entries: Entry[] = [];
  const manifest = await scan(file, format, (entry) => entries.push(entry));
  expect(await Array.fromAsync(entriesOf(file, manifest))).toEqual(entries);
  expect(entries.map(({ entry }) => entry)).toEqual(entries.map((_, index) => index + 1));
  expect(manifest.sha256).toBe(createHash('sha256').update(content).digest('hex'));
  const texts = entries.map(async (entry) => ({ line: entry.line, text: (await file.read(entry)).toString() }));
  return { manifest, found: await Promise.all(texts) };
}

describe('JSON Lines', () => {
  const line = fc.constantFrom('', '  ', '\t', '{"a":1}', '"\\n"', 'no JSON', '{"ä":"ö\u2028"}', '"a" \t');

  it('every line that is not blank is an entry, by the number that an editor shows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        endings,
        marks,
        fc.boolean(),
        chunks,
        async (lines, ending, mark, isEnded, size) => {
          const { found } = await read(mark + lines.join(ending) + (isEnded ? ending : ''), 'jsonl', size);
          const expected = lines.map((text, index) => ({ line: index + 1, text })).filter(({ text }) => text.trim());
          expect(found.map(({ line, text }) => ({ line, text: text.replace(/\r$/, '') }))).toEqual(expected);
        },
      ),
      runs,
    );
  });

  it.each([
    ['nothing', ''],
    ['a mark alone', MARK],
    ['a line end alone', '\n'],
    ['blank lines', '\n \r\n\t'],
  ])('%s has no entry', async (_, content) => {
    expect((await read(content, 'jsonl')).found).toEqual([]);
  });
});

describe('CSV', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ',', '\n', '\r\n', ' ') });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const plain = fc.constantFrom('a', 'b c', 'ä');
  const record = fc
    .array(fc.oneof(cell.map(quoted), plain), { minLength: 1, maxLength: 3 })
    .map((cells) => cells.join());

  it('every record behind the header is an entry, by the line on which it begins', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record),
        endings,
        marks,
        fc.boolean(),
        chunks,
        async (records, ending, mark, isEnded, size) => {
          const before = `${mark}scope,customId${ending}`;
          const content = before + records.join(ending) + (isEnded && records.length > 0 ? ending : '');
          const { found, manifest } = await read(content, 'csv', size);
          let line = 2;
          const expected = records.map((text) => {
            const at = { line, text };
            line += text.split('\n').length;
            return at;
          });
          expect(found).toEqual(expected);
          expect(manifest.columns).toEqual(['scope', 'customId']);
        },
      ),
      runs,
    );
  });

  it('passes over blank lines, and counts them', async () => {
    const { found } = await read('\n\nscope\n\r\nproject\n   \ntask', 'csv');
    expect(found).toEqual([
      { line: 5, text: 'project' },
      { line: 7, text: 'task' },
    ]);
  });

  it.each([
    ['a column that is none', 'scope,custmId\n', 'unknown-field', /Did you mean customId\?/],
    [
      'a column like none',
      'scope,x\n',
      'unknown-field',
      /The columns are create, scope, projectId, customId, taskId\./,
    ],
    ['a column twice', 'scope,scope\n', 'duplicate-key', /scope twice/],
    ['a header that is not CSV', 'scope,"a"b\n', 'syntax', /quotes/],
  ])('%s makes it unusable', async (_, content, code, detail) => {
    const problem = await problemOf(() => read(content, 'csv'));
    expect(problem.name).toBe('invalid-parameter');
    expect(problem.occurrence.errors).toMatchObject([{ code, detail: expect.stringMatching(detail) }]);
  });
});

it('of what may be the header of CSV no more is read than a header has', async () => {
  const file = fileOf(`scope,"${'x\n'.repeat(10_000)}`);
  const lengths: number[] = [];
  const read = (place: Pick<Entry, 'offset' | 'bytes'>) => {
    lengths.push(place.bytes);
    return file.read(place);
  };
  expect((await problemOf(() => scan({ ...file, read }, 'csv', () => {}))).name).toBe('invalid-parameter');
  expect(lengths).toEqual([1_000]);
});

describe('a JSON array', () => {
  it('every element is an entry, by the line on which it begins', async () => {
    const indents = fc.constantFrom<[number | string]>([0], [2], ['\t']);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), indents, marks, chunks, async (values, [indent], mark, size) => {
        const content = `${mark}\n ${JSON.stringify(values, null, indent)}\n`;
        const { found } = await read(content, 'json', size);
        expect(found.map(({ text }) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
        let from = 0;
        for (const { line, text } of found) {
          const at = content.indexOf(text, from);
          expect(line).toBe(content.slice(0, at).split('\n').length);
          from = at + text.length;
        }
      }),
      runs,
    );
  });

  it('an element that is no JSON is an entry too, which its neighbours outlive', async () => {
    const { found } = await read('[1 2,\n"a\\"]",{"b":}\n, tru]', 'json');
    expect(found.map(({ line, text }) => [line, text.trim()])).toEqual([
      [1, '1 2'],
      [2, '"a\\"]"'],
      [2, '{"b":}'],
      [3, 'tru'],
    ]);
  });

  it.each([
    ['nothing', ''],
    ['an object', '{}'],
    ['JSON Lines', '{"create":{}}\n{"create":{}}'],
    ['an array without an end', '[{},\n{}'],
    ['a string without an end', '["a'],
    ['something behind it', '[] {}'],
    ['two arrays', '[][]'],
    ['a comma too many', '[1,]'],
    ['a comma too soon', '[,1]'],
    ['a comma alone', '[,]'],
  ])('%s is none', async (_, content) => {
    expect((await problemOf(() => read(content, 'json'))).name).toBe('malformed-json');
  });
});
