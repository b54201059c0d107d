import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { type DeliveryRef, messageKey, stateKey } from '../../../lib/webhooks/delivery-records.ts';
import { type DeliveryWorker, deliveryHandler, logFailedAttempt } from '../../../lib/webhooks/delivery-worker.ts';
import { againFrom, DONE, streamOf } from '../background/stream.ts';
import { contextOf, keptLog } from '../http/fixture.ts';
import { DeliveryWorld } from './world.ts';

const LINE = { operation: 'deliveries', requestId: 'invocation-1', durationMs: 0 };
const REFS: readonly DeliveryRef[] = ['one', 'two', 'three'].map((id) => ({ source: 'cms', id }));
const NOTHING = { done: 0, postponed: 0, dead: 0, left: 0, oldestMs: 0, letters: 0 };

/** Runs the worker. @returns its answer, its log, and what it was asked to work on */
async function run(event: unknown, work: Partial<DeliveryWorker> = {}) {
  const { lines, options } = keptLog();
  const asked: (readonly DeliveryRef[])[] = [];
  const workOn: DeliveryWorker['workOn'] = async (refs) => {
    asked.push(refs);
    return [];
  };
  const worker = deliveryHandler({ workOn, workOnDue: async () => NOTHING, ...work }, options);
  const answer = await worker(event, contextOf()).catch((error: unknown) => ({ error }));
  return { answer, lines, asked };
}

describe('the worker of deliveries', () => {
  it('works on those that a stream tells of, and on nothing else in its event', async () => {
    const keys = REFS.flatMap((ref) => [stateKey(ref), messageKey(ref), { partition: 'dead-letters', sort: 'state' }]);
    const { answer, lines, asked } = await run(streamOf(keys));
    expect(asked).toEqual([REFS]);
    expect(answer).toEqual(DONE);
    expect(lines).toEqual([LINE]);
  });

  it('is asked again from the first that the store did not answer for', async () => {
    const { answer } = await run(streamOf(REFS.map(stateKey)), { workOn: async (refs) => refs.slice(1) });
    expect(answer).toEqual(againFrom(2, 3));
  });

  it('works on all that is due when a schedule calls, and says what came of it', async () => {
    const worked = { done: 3, postponed: 1, dead: 1, left: 2, oldestMs: 5_000, letters: 7 };
    const { answer, lines } = await run({ source: 'aws.events' }, { workOnDue: async () => worked });
    expect(answer).toBeUndefined();
    expect(lines).toEqual([{ ...LINE, ...worked }]);
  });

  it('leaves itself time to answer', async () => {
    const left: number[] = [];
    const workOnDue: DeliveryWorker['workOnDue'] = async ({ remainingMs }) => {
      left.push(remainingMs());
      return NOTHING;
    };
    await run({}, { workOnDue });
    expect(left).toEqual([28_000]);
  });

  it('fails where it cannot list what is due, and says why', async () => {
    const failure = new Problem('unavailable', { detail: 'No.' });
    const { answer, lines } = await run({}, { workOnDue: () => Promise.reject(failure) });
    expect(answer).toEqual({ error: failure });
    expect(lines).toEqual([{ ...LINE, problem: 'unavailable' }]);
  });

  it('says of each attempt that failed whose it was and why, and nothing of the message', async () => {
    const lines: LogLine[] = [];
    const world = new DeliveryWorld();
    const text = 'canary';
    const message = world.message({ create: { name: text, [text]: text, segments: [{ content: text }] } });
    await world.inbox.accept({ ...message, headers: { 'x-name': text } });
    await world.run({ onFailure: logFailedAttempt((line) => lines.push(line)) });
    expect(lines).toEqual([
      {
        operation: 'deliveries',
        requestId: message.id,
        companyId: 'acme',
        source: 'cms',
        durationMs: 0,
        problem: 'invalid-project',
        faults: expect.arrayContaining(['required', 'unknown-field']),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(text);
  });
});
