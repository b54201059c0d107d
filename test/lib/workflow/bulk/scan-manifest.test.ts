import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Entry } from '../../../../lib/workflow/bulk/manifest.ts';
import { entriesOf, scanManifest } from '../../../../lib/workflow/bulk/scan-manifest.ts';
import { problemOf } from '../../support.ts';
import { fileOf } from '../world.ts';

const MARK = '\ufeff';
const endings = fc.constantFrom('\n', '\r\n');
const marks = fc.constantFrom('', MARK);
const chunks = fc.integer({ min: 1, max: 40 });
const runs = { numRuns: 300 };

/** Returns the entries of a text: the line number that an editor shows for each, and its text. */
async function read(content: string, chunkBytes = 7) {
  const file = fileOf(content, chunkBytes);
  const entries: Entry[] = [];
  const sha256 = await scanManifest(file, (entry) => entries.push(entry));
  expect(await Array.fromAsync(entriesOf(file))).toEqual(entries);
  expect(entries.map(({ entry }) => entry)).toEqual(entries.map((_, index) => index + 1));
  expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
  const texts = entries.map(async (entry) => ({ line: entry.line, text: (await file.read(entry)).toString() }));
  return { entries, found: await Promise.all(texts) };
}

describe('JSON Lines', () => {
  const line = fc.constantFrom('', '  ', '\t', '{"a":1}', '{"\\n"', '{no JSON', '{"ä":"ö\u2028"}', '{"a" \t');

  it('has an entry for every line that is not blank, with the number that an editor shows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        endings,
        marks,
        fc.boolean(),
        chunks,
        async (lines, ending, mark, isEnded, size) => {
          const { found } = await read(mark + lines.join(ending) + (isEnded ? ending : ''), size);
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
    expect((await read(content)).found).toEqual([]);
  });
});

describe('equal lines', () => {
  it('with a key of their own are not numbered', async () => {
    const line = '{"create":{},"idempotencyKey":"a"}';
    const { entries } = await read(`${line}\n${line}\n{"create":{}}`);
    expect(entries.map(({ occurrence }) => occurrence)).toEqual([1, 1, 1]);
  });

  it('are numbered, in chunks of any size', async () => {
    const lines = fc.array(fc.constantFrom('{"create":1}', '{"create":2}', '{"create":"ä"}', ' {"create":1}'));
    await fc.assert(
      fc.asyncProperty(lines, chunks, async (texts, size) => {
        const { entries } = await read(texts.join('\n'), size);
        const seen: string[] = [];
        const expected = texts.map(
          (text) => seen.push(text.trim()) && seen.filter((each) => each === text.trim()).length,
        );
        expect(entries.map(({ occurrence }) => occurrence)).toEqual(expected);
      }),
      runs,
    );
  });

  it('that are longer than a body are not held in memory', async () => {
    const long = `{"create":"${'x'.repeat(LIMITS.bodyBytes)}"}`;
    const { entries } = await read(`${long}\n{"create":1}\n${long}\n{"create":1}`, 1 << 20);
    expect(entries.map(({ bytes, occurrence }) => [bytes === long.length, occurrence])).toEqual([
      [true, 1],
      [false, 1],
      [true, 1],
      [false, 2],
    ]);
  });
});

describe('a manifest that is not JSON Lines', () => {
  it.each([
    ['a JSON array on several lines, after a byte order mark', `${MARK}\n[\n {"create":{}}\n]`, /jq -c '\.\[\]'/],
    ['an object on several lines', '{\n "create": {}\n}', /jq -c \. /],
    ['CSV', 'scope,customId,taskId\nproject,manual/4.9,\n', /such as \{"delete":.*\}\}\.$/],
  ])('is refused as a whole: %s', async (_, content, detail) => {
    const problem = await problemOf(() => read(content));
    expect([problem.name, problem.message]).toEqual(['invalid-parameter', expect.stringMatching(detail)]);
  });

  it('is not assumed if only the first command breaks off', async () => {
    expect((await read('{"create":{"name":"a, b"\n{"create":{}}')).found).toHaveLength(2);
  });
});
