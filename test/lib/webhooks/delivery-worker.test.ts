import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { messageKey, type OpenDeliveryRef, stateKey } from '../../../lib/webhooks/delivery-records.ts';
import { type DeliveryWorker, deliveryHandler, logDelivery } from '../../../lib/webhooks/delivery-worker.ts';
import { againFrom, DONE, streamOf } from '../background/stream.ts';
import { contextOf, keptLog } from '../http/fixture.ts';
import { creation, DeliveryWorld, identity, LEASE_MS, storeUntilCommit, unavailable } from './world.ts';

const LINE = { operation: 'deliveries', requestId: 'invocation-1', durationMs: 0 };
/** The deliveries that a stream reports. Its keys have no company, so the source takes its place. */
const REFS: readonly OpenDeliveryRef[] = ['one', 'two', 'three'].map((id) => ({ companyId: 'cms', source: 'cms', id }));
const NOTHING = { done: 0, postponed: 0, dead: 0, left: 0, oldestMs: 0, letters: 0 };

/**
 * Runs the handler.
 * @returns its answer, its log lines, and the deliveries that it passed to the worker
 */
async function run(event: unknown, work: Partial<DeliveryWorker> = {}) {
  const { lines, options } = keptLog();
  const asked: (readonly OpenDeliveryRef[])[] = [];
  const workOn: DeliveryWorker['workOn'] = async (refs) => {
    asked.push(refs);
    return [];
  };
  const worker = deliveryHandler({ workOn, workOnDue: async () => NOTHING, ...work }, options);
  const answer = await worker(event, contextOf()).catch((error: unknown) => ({ error }));
  return { answer, lines, asked };
}

describe('the handler', () => {
  it('works on the new deliveries in the event of a stream, and on nothing else', async () => {
    const keys = REFS.flatMap((ref) => [stateKey(ref), messageKey(ref), { partition: 'dead-letters', sort: 'state' }]);
    const { answer, lines, asked } = await run(streamOf(keys));
    expect(asked).toEqual([REFS]);
    expect(answer).toEqual(DONE);
    expect(lines).toEqual([LINE]);
  });

  it('asks the stream to retry from the first delivery for which the store failed', async () => {
    const { answer } = await run(streamOf(REFS.map(stateKey)), { workOn: async (refs) => refs.slice(1) });
    expect(answer).toEqual(againFrom(2, 3));
  });

  it('works on all due deliveries for a schedule, and logs the result', async () => {
    const worked = { done: 3, postponed: 1, dead: 1, left: 2, oldestMs: 5_000, letters: 7 };
    const { answer, lines } = await run({ source: 'aws.events' }, { workOnDue: async () => worked });
    expect(answer).toBeUndefined();
    expect(lines).toEqual([{ ...LINE, ...worked }]);
  });

  it('leaves time for its answer', async () => {
    const left: number[] = [];
    const workOnDue: DeliveryWorker['workOnDue'] = async ({ remainingMs }) => {
      left.push(remainingMs());
      return NOTHING;
    };
    await run({}, { workOnDue });
    expect(left).toEqual([28_000]);
  });

  it('ends attempts at the deliveries of a stream early, because the stream holds back those of others', async () => {
    const left: number[] = [];
    const workOn: DeliveryWorker['workOn'] = async (_, { remainingMs }) => {
      left.push(remainingMs());
      return [];
    };
    await run(streamOf(REFS.map(stateKey)), { workOn });
    expect(left).toEqual([25_000]);
  });

  it('fails if due deliveries cannot be listed, and logs why', async () => {
    const failure = new Problem('unavailable', { detail: 'No.' });
    const { answer, lines } = await run({}, { workOnDue: () => Promise.reject(failure) });
    expect(answer).toEqual({ error: failure });
    expect(lines).toEqual([{ ...LINE, alert: 'run-failed', problem: 'unavailable' }]);
  });

  it('logs company, source and problem of each failed attempt, and nothing of the message', async () => {
    const lines: LogLine[] = [];
    const world = new DeliveryWorld();
    const text = 'canary';
    const message = world.message({ create: { name: text, [text]: text, segments: [{ content: text }] } });
    await world.inbox.accept({ ...message, headers: { 'x-name': text } });
    await world.run({ onAttempt: logDelivery((line) => lines.push(line)) });
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

describe('two workers', () => {
  it('do not work on the same delivery at once', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation());
    await world.inbox.accept(message);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let applied = 0;
    const apply = async () => {
      applied++;
      await held;
      return null;
    };
    const mapper = { ...identity, apply };
    const first = world.run({ mapper });
    for (let n = 0; applied === 0 && n < 1_000; n++) await setImmediate();
    world.nowMs += LEASE_MS - 1;
    expect(await world.run({ mapper })).toMatchObject({ done: 0, left: 0 });
    expect(await world.work({ mapper }).workOn([message], world.deadline())).toEqual([]);
    expect(applied).toBe(1);
    release();
    expect(await first).toMatchObject({ done: 1 });
    expect(applied).toBe(1);
  });

  it('end a delivery once, even if the lease of one expires', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'page' }));
    await world.inbox.accept(message);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let isAsleep = false;
    const apply = async () => {
      isAsleep = true;
      await held;
      throw new Problem('mapping-failed', { detail: 'Too late.' });
    };
    const sleeping = world.run({ mapper: { ...identity, apply } });
    for (let n = 0; !isAsleep && n < 1_000; n++) await setImmediate();
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ done: 1 });
    release();
    expect(await sleeping).toMatchObject({ done: 0, dead: 0, letters: 0 });
    expect(await world.stateOf(message)).toMatchObject({ kind: 'done' });
  });
});

describe('a run of the worker', () => {
  it('starts nothing that it may not finish, and reports what is left', async () => {
    const world = new DeliveryWorld();
    for (const id of ['one', 'two']) await world.inbox.accept(world.message(creation(), { id }));
    world.nowMs += 7_000;
    expect(await world.work().workOnDue({ remainingMs: () => 12_000 })).toMatchObject({
      done: 0,
      left: 2,
      oldestMs: 7_000,
    });
    expect(await world.run()).toMatchObject({ done: 2, left: 0, oldestMs: 0 });
  });

  it('works on at most two deliveries of one source at once', async () => {
    const world = new DeliveryWorld();
    world.sources.set('good', { name: 'good', companyId: 'acme', mapping: 'good' });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let stuck = 0;
    let good = 0;
    const apply = async (mapping: string) => {
      if (mapping === 'good') good++;
      else {
        expect(++stuck).toBeLessThanOrEqual(2);
        await held;
        stuck--;
      }
    };
    for (let n = 0; n < 20; n++) await world.inbox.accept(world.message('{}', { id: `bad ${n}` }));
    for (let n = 0; n < 20; n++) await world.inbox.accept(world.message('{}', { id: `good ${n}`, source: 'good' }));
    const run = world.run({ mapper: { ...identity, apply } });
    for (let n = 0; good < 20 && n < 10_000; n++) await setImmediate();
    expect([good, stuck]).toEqual([20, 2]);
    release();
    expect(await run).toMatchObject({ done: 40 });
  });

  it('works on deliveries that arrive during the run, even if one source hangs', async () => {
    const world = new DeliveryWorld();
    world.sources.set('good', { name: 'good', companyId: 'acme', mapping: 'good' });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: stuck, resolve: isStuck } = Promise.withResolvers<void>();
    const apply = async (mapping: string) => {
      if (mapping === 'good') return release();
      isStuck();
      await held;
    };
    for (let n = 0; n < 5; n++) await world.inbox.accept(world.message('{}', { id: `bad ${n}` }));
    const run = world.run({ mapper: { ...identity, apply } });
    await stuck;
    await world.inbox.accept(world.message('{}', { id: 'good', source: 'good' }));
    expect(await run).toMatchObject({ done: 6, left: 0 });
  });

  it.each(['acme', 'other'])(
    'starts with a source of %s, however many deliveries another source has',
    async (companyId) => {
      const world = new DeliveryWorld();
      world.sources.set('good', { name: 'good', companyId, mapping: 'good' });
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      for (let n = 0; n < 2_000; n++) await world.inbox.accept(world.message('{}', { id: `${n % 16} ${n}` }));
      world.nowMs++;
      await world.inbox.accept(world.message('{}', { id: '0 good', source: 'good', companyId }));
      const order: string[] = [];
      const apply = async (mapping: string) => {
        order.push(mapping);
        if (mapping === 'good') release();
        await held;
      };
      const pause = (ms: number) =>
        order.includes('good') ? setTimeout(ms, undefined, { ref: false }) : setImmediate();
      expect(await world.run({ mapper: { ...identity, apply }, pause })).toMatchObject({ done: 2_001, left: 0 });
      expect(order.indexOf('good')).toBeLessThan(5);
    },
  );

  it('skips new deliveries without time, and returns those for which the store failed', async () => {
    const world = new DeliveryWorld();
    const refs = ['one', 'two'].map((id) => world.message('null', { id }));
    for (const message of refs) await world.inbox.accept(message);
    expect(await world.work().workOn(refs, { remainingMs: () => 0 })).toEqual([]);
    const read = () => Promise.reject(unavailable());
    expect(
      await world.work({ store: { ...storeUntilCommit(world, Infinity), read } }).workOn(refs, world.deadline()),
    ).toEqual(refs);
    expect(await world.work().workOn(refs, world.deadline())).toEqual([]);
    expect(await world.run()).toMatchObject({ done: 0, left: 0 });
  });
});
