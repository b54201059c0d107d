import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sentenceCount } from '../../../../lib/contract/sentence-count.ts';
import { contentReader, type SentenceRules } from '../../../../lib/hosted/translation/content-reader.ts';
import { FRAGMENTS, FRAMES } from './fragments.ts';

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
