import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOfArray } from '../../../cli/bulk/json-array.ts';
import { fileOf } from '../../lib/workflow/bulk/file.ts';

/** The texts of an array's entries. */
async function read(content: string, chunkBytes = 7): Promise<string[]> {
  const file = fileOf(content, chunkBytes);
  const places = await Array.fromAsync(entriesOfArray(file.chunks()));
  return Promise.all(places.map(async (place) => Buffer.from(await file.read(place)).toString()));
}

describe('a JSON array', () => {
  it('is read entry by entry, whatever comes at once', async () => {
    const indents = fc.constantFrom<[number | string]>([0], [2], ['\t']);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        indents,
        fc.integer({ min: 1, max: 40 }),
        async (values, [indent], size) => {
          const texts = await read(`\n ${JSON.stringify(values, null, indent)}\n`, size);
          expect(texts.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['nothing', ''],
    ['an object', '{}'],
    ['an array without an end', '[{},\n{}'],
    ['a string without an end', '["a'],
    ['something behind it', '[] {}'],
    ['a comma too many', '[1,]'],
    ['a comma too soon', '[,1]'],
  ])('%s is none', async (_, content) => {
    await expect(read(content)).rejects.toThrow(SyntaxError);
  });
});
