import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type ContentReader, contentReader } from '../../../../lib/hosted/translation/content-reader.ts';
import { preparedIn } from '../../../../lib/hosted/translation/reader-messages.ts';
import { threadedReader } from '../../../../lib/hosted/translation/threaded-reader.ts';
import { translateSegments } from '../../../../lib/hosted/translation/translate-segments.ts';
import { ENOUGH, fakeEngine } from './world.ts';

const SENTENCES = 20_000;
/** No slice of long work handles more. */
const MOST_OF_SLICE = 1_000;
const CONTENT = Array.from({ length: SENTENCES }, (_, n) => `line ${n}`).join('\n');

/** Counts the turns of the event loop until it is stopped. */
function turnCounter() {
  const counter = { turns: 0, isStopped: false };
  const count = async () => {
    for (; !counter.isStopped; counter.turns += 1) await setImmediate();
  };
  void count();
  return counter;
}

it('the sentences of a content are collected and divided into calls in slices', async () => {
  const counter = turnCounter();
  let start = 0;
  let turns: number | undefined;
  const reader = contentReader();
  const noted: ContentReader = {
    async prepare(contents, rules) {
      const prepared = await reader.prepare(contents, rules);
      start = counter.turns;
      return prepared;
    },
    assemble: (contents, rules) => reader.assemble(contents, rules),
  };
  const engine = fakeEngine(({ texts }) => {
    turns ??= counter.turns - start;
    return texts.map((text) => ({ kind: 'translated', text }));
  });
  const request = { source: 'en-US', target: 'de-DE', texts: [CONTENT], deadline: ENOUGH };
  const { results } = await translateSegments(engine, noted, request);
  counter.isStopped = true;
  expect(results).toEqual([{ kind: 'translated', text: CONTENT }]);
  expect(turns).toBeGreaterThanOrEqual((2 * SENTENCES) / MOST_OF_SLICE - 2);
});

it('the answer of a thread is read in slices', async () => {
  const counter = turnCounter();
  const lengths = new Uint32Array(SENTENCES).fill(1);
  const texts = { joined: 'a'.repeat(SENTENCES), lengths };
  const [prepared] = await preparedIn({ contents: [SENTENCES], texts, flags: new Uint8Array(SENTENCES) });
  counter.isStopped = true;
  expect(prepared).toMatchObject({ sentences: { length: SENTENCES } });
  expect(counter.turns).toBeGreaterThanOrEqual((2 * SENTENCES) / MOST_OF_SLICE - 2);
});

it('a message to a thread has at most 65,536 characters', async () => {
  const limits = { heapMiB: 32, timeMs: 60_000, deaths: 1 };
  const reader = threadedReader(limits, new URL('./counting-program.ts', import.meta.url));
  const contents = Array.from({ length: 5_000 }, (_, n) => `%s ${n}`.padEnd(1_024));
  const rules = { placeholderElement: 'empty', limits: fakeEngine(() => []).limits } as const;
  const counts = (await reader.prepare(contents, rules)).map((one) =>
    one.kind === 'translated' ? Number(one.text) : 0,
  );
  expect(Math.max(...counts)).toBe(65_536 / 1_024);
});
