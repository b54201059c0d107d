import fc from 'fast-check';
import { describe, it } from 'vitest';
import { PutModel, type Sent, type SentSegment } from './model.ts';

const sentSegment: fc.Arbitrary<SentSegment> = fc.record(
  {
    customId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    content: fc.constantFrom('one', 'two', 'three', 'four'),
    taskId: fc.constantFrom('t1', 't2'),
  },
  { requiredKeys: ['content'] },
);
const sent: fc.Arbitrary<Sent> = fc.record(
  {
    segments: fc.array(sentSegment, { minLength: 1, maxLength: 9 }),
    languages: fc.uniqueArray(fc.record({ code: fc.constantFrom('de', 'fr', 'ja'), isAutomatic: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ code }) => code,
    }),
    taskId: fc.constantFrom('t1', 'own'),
  },
  { requiredKeys: ['segments', 'languages'] },
);

type Step = (model: PutModel) => Promise<unknown>;
const step: fc.Arbitrary<Step> = fc.oneof(
  sent.map(
    (body): Step =>
      (model) =>
        model.put(body),
  ),
  fc.tuple(fc.nat(8), fc.nat(2), fc.constantFrom('draft' as const, 'translated' as const, 'proofread' as const)).map(
    ([position, language, status]): Step =>
      (model) =>
        model.translate(position, language, status),
  ),
  fc.constantFrom<Step>((model) => model.work()),
  fc.constantFrom('t1', 't2', 'own').map(
    (taskId): Step =>
      (model) =>
        model.deleteTask(taskId),
  ),
);

describe('a put', () => {
  it('makes a project be what its sender says, and keeps what did not change', async () => {
    await fc.assert(
      fc.asyncProperty(sent, fc.array(step, { maxLength: 14 }), async (first, steps) => {
        const model = new PutModel();
        await model.put(first);
        for (const each of steps) {
          await each(model);
          await model.check();
        }
        await model.work();
        await model.check();
      }),
      { numRuns: 150 },
    );
  });
});
