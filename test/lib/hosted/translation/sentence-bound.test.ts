import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sentenceCount } from '../../../../lib/contract/sentence-count.ts';
import { contentReader, type SentenceRules } from '../../../../lib/hosted/translation/content-reader.ts';
import { asObjects, realProject } from '../../../support/projects.ts';
import { FRAGMENTS, FRAMES } from './fragments.ts';

const RULES: SentenceRules = {
  placeholderElement: 'no-translate',
  limits: { textBytes: { plain: 1_048_576, html: 2_097_152 }, batchBytes: 4_194_304 },
};

/** Returns how many sentences an engine gets of each content. */
async function sentFor(contents: readonly string[]): Promise<number[]> {
  const prepared = await contentReader().prepare(contents, RULES);
  return prepared.map((one) => (one.kind === 'open' ? one.sentences.length : 0));
}

const framed = fc
  .tuple(fc.constantFrom(...FRAMES), fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 12 }))
  .map(([[before, after], parts]) => before + parts.join('') + after);

const WORDS = [
  'a',
  ' b ',
  'é',
  '漢',
  '1',
  '\n',
  '\r\n',
  '<p>',
  '</ p>',
  '</\np>',
  '<p ',
  '<i ',
  '<i>',
  '<',
  '>',
  '"',
  '{x}',
  "''",
  "'{'",
];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((parts) => parts.join(''));

/** Messages with choices in choices, which can be parsed. */
function messages(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return words;
  const branch = fc
    .tuple(fc.constantFrom('', ' ', '\n'), messages(depth - 1))
    .map(([space, inner]) => `${space}{${inner}}`);
  const choice = fc
    .tuple(fc.constantFrom('plural', 'select'), fc.array(branch, { maxLength: 3 }), branch)
    .map(([kind, branches, last]) => {
      const named = branches.map((one, index) => `${kind === 'plural' ? '=' : 'k'}${index}${one}`);
      return `{n,${kind},${named.join(' ')} other${last}}`;
    });
  return fc
    .tuple(words, fc.array(fc.tuple(choice, words), { maxLength: 2 }))
    .map(([first, rest]) => first + rest.flat().join(''));
}

it('an engine never gets more sentences of a content than are counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(framed, words, messages(1), messages(2)), async (content) => {
      const [sent = 0] = await sentFor([content]);
      expect(sentenceCount(content)).toBeGreaterThanOrEqual(sent);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['ui-strings', 1],
  ['udhr-html', 1],
  // A thousand of its contents have no letter, so that no engine gets them.
  ['cldr-large', 1.04],
] as const)('the contents of %s are counted at most %d times as high as they are sent', async (name, most) => {
  const contents = asObjects(realProject(name)['segments']).map(({ content }) => String(content));
  const sent = (await sentFor(contents)).reduce((sum, one) => sum + one, 0);
  const counted = contents.reduce((sum, content) => sum + sentenceCount(content), 0);
  expect(counted / sent).toBeLessThanOrEqual(most);
});

it('a message with choices is counted one higher for each choice and placeholder', async () => {
  const message = '{n, plural, one {# file} other {# files}} of {name}';
  expect([sentenceCount(message), await sentFor([message])]).toEqual([5, [3]]);
});
