import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sentenceCount } from '../../../../lib/contract/sentence-count.ts';
import { contentReader, type SentenceRules } from '../../../../lib/hosted/translation/content-reader.ts';

/** Fragments of the grammar of contents: HTML, placeholders, ICU messages, and white space. */
const FRAGMENTS = [
  ...[
    '<b>a</b> ',
    '<b>',
    '</b>',
    '<p>',
    '<br',
    '</x>',
    '<a x="',
    '<a x=y ',
    "<a class='x",
    ' class="',
    '<code>',
    '</code>',
  ],
  ...[
    '<script>',
    '<!--',
    '--',
    '<![CDATA[',
    ']]>',
    '<?',
    '<!a',
    '</',
    '<',
    '>',
    '"',
    '=',
    '&amp;',
    '&eacute;',
    '&#',
    '&a',
    '&',
  ],
  ...[
    '%s a',
    '%',
    '%(a)',
    '%(a)0',
    '%1$',
    '{{',
    '{',
    '}',
    '{a,',
    '{ ',
    '${',
    '$t(',
    '#',
    '<1',
    'http://',
    'http://,',
    'a@',
    'a.a',
  ],
  ...['{n, plural, other {a}}', '{n, select, other {', '{a, plural, ', '}}', "'{", "'", "''", "'}"],
  ...['a', '0', ' ', '\t', '\n', 'a\n', 'a. ', '. ', '。', '! ', '\u00a0', '\u202e', '\ue000', '\ud800', 'é', '漢'],
];

/** What stands before and after the fragments. It decides how they are read. */
const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['a %s ', ' b'],
  ['%(a)', ' b'],
  ['<b>x</b> ', ' y'],
  ['<b>x</b>&#', ' y'],
  ['<a ', '>x</a> y'],
  ['<code>', '</code> y'],
  ['<b> ', '</x></x> <i>'],
  ['{n, plural, other {x}} ', ' y'],
  ["{n, plural, other {x '", "'}} y"],
  ['<b>x</b>{n, select, other {<i>', ' x</i>}}'],
];

const LIMITS: SentenceRules['limits'] = { textBytes: { plain: 30_000, html: 30_000 }, batchBytes: 1_048_576 };
const SMALL = 16_384;
/** How many times as long the large content is. A quadratic reader needs 256 times as much for it. */
const TIMES = 16;
/** What a measurement may differ by: a first run is slow, and others use the machine too. */
const TOLERANCE = 4;
const LEAST_MS = 3;

it('reading and assembling a content takes linear time, whatever it repeats', async () => {
  const frames = fc.constantFrom(...FRAMES);
  const fragments = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(frames, fragments, async ([before, after], parts) => {
      const fragment = parts.join('');
      const content = (length: number) => before + fragment.repeat(Math.ceil(length / fragment.length)) + after;
      const small = Math.max(LEAST_MS, await cpuMs(content(SMALL)));
      expect(await cpuMs(content(TIMES * SMALL))).toBeLessThan(small * TIMES * TOLERANCE);
    }),
    { numRuns: 60 },
  );
});

/** Returns how much processor time this thread needs to read and assemble a content, in milliseconds. */
async function cpuMs(content: string): Promise<number> {
  const reader = contentReader();
  const rules: SentenceRules = { placeholderElement: 'no-translate', limits: LIMITS };
  const start = process.threadCpuUsage();
  sentenceCount(content);
  const [prepared] = await reader.prepare([content], rules);
  if (prepared?.kind === 'open') {
    await reader.assemble([{ content, translations: prepared.sentences.map(({ text }) => text) }], rules);
  }
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
