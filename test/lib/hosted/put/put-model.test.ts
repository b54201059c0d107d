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

const STATUSES = ['draft', 'translated', 'proofread'] as const;
type Step =
  | { readonly put: Sent }
  | { readonly translate: readonly [position: number, language: number, status: (typeof STATUSES)[number]] }
  | { readonly work: true }
  | { readonly deleteTask: string };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ put: sent }),
  fc.record({ translate: fc.tuple(fc.nat(8), fc.nat(2), fc.constantFrom(...STATUSES)) }),
  fc.record({ work: fc.constant(true as const) }),
  fc.record({ deleteTask: fc.constantFrom('t1', 't2', 'own') }),
);

/** Does a step to a project and to its model. */
async function take(model: PutModel, taken: Step): Promise<void> {
  if ('put' in taken) await model.put(taken.put);
  else if ('translate' in taken) await model.translate(...taken.translate);
  else if ('work' in taken) await model.work();
  else await model.deleteTask(taken.deleteTask);
}

describe('a put', () => {
  it('makes a project be what its sender says, and keeps what did not change', async () => {
    await fc.assert(
      fc.asyncProperty(sent, fc.array(step, { maxLength: 14 }), async (first, steps) => {
        const model = new PutModel();
        await model.put(first);
        for (const each of steps) {
          await take(model, each);
          await model.check();
        }
        await model.work();
        await model.check();
      }),
      { numRuns: 150 },
    );
  });
});
