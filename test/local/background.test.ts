import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { WorkSummary } from '../../lib/deliveries/due-worker.ts';
import { operationIdOf } from '../../lib/service/port.ts';
import type { Reconciled } from '../../lib/upstream/reconciler.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { readState, stateKey } from '../../lib/webhooks/delivery-records.ts';
import { keepMovingEvents, keepReconciling, keepWorking } from '../../local/background.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { problemOf } from '../lib/support.ts';
import { json, playService } from '../lib/upstream/server.ts';
import { ACCOUNT, every, lost, UpstreamAccount, World } from '../lib/upstream/world.ts';
import { creation, DeliveryWorld, putSource } from '../lib/webhooks/world.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { asObjects } from '../support/projects.ts';
import { contentOf } from '../support/world.ts';

/** Returns a run with these results, one each time. It stops after the last one. */
function runs<Result>(results: readonly (Result | Error)[]) {
  const stop = new AbortController();
  const lines: unknown[] = [];
  let started = 0;
  let running = 0;
  const run = async () => {
    expect(++running).toBe(1);
    await setTimeout(1);
    running--;
    const result = results[started++];
    if (started === results.length) stop.abort();
    if (result === undefined || result instanceof Error) throw result ?? new Error('There was one run too many');
    return result;
  };
  return { run, lines, options: { stop: stop.signal, pauseMs: 1, log: (line: unknown) => lines.push(line) } };
}

const FAILED = new RangeError('Secret words');
const FAILURE = { problem: 'internal-error', cause: { name: 'RangeError' } };

describe('the processing of deliveries', () => {
  const NOTHING: WorkSummary = { done: 0, postponed: 0, dead: 0, left: 0, oldestMs: 0, letters: 0 };

  it('runs one at a time, and logs runs that ended a delivery or failed', async () => {
    const { run, lines, options } = runs([NOTHING, { ...NOTHING, done: 2, letters: 1 }, FAILED, NOTHING]);
    await keepWorking('deliveries', { workOnDue: run }, options);
    expect(lines).toMatchObject([
      { operation: 'deliveries', done: 2, letters: 1 },
      { operation: 'deliveries', ...FAILURE },
    ]);
    expect(JSON.stringify(lines)).not.toContain('Secret');
  });

  it('ends its pause and gives a run no more time when it is stopped', async () => {
    const stop = new AbortController();
    const left: number[] = [];
    const workOnDue = async ({ remainingMs }: { remainingMs(): number }) => {
      stop.abort();
      left.push(remainingMs());
      return NOTHING;
    };
    await keepWorking('deliveries', { workOnDue }, { stop: stop.signal, pauseMs: 60_000 });
    expect(left).toEqual([0]);
  });

  it('gives an attempt no less time because the run has lasted long, so that the run need not end', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const stop = new AbortController();
    const left: number[] = [];
    const workOnDue = async ({ remainingMs }: { remainingMs(): number }) => {
      left.push(remainingMs());
      vi.setSystemTime(Date.now() + 3_600_000);
      left.push(remainingMs());
      stop.abort();
      return NOTHING;
    };
    await keepWorking('deliveries', { workOnDue }, { stop: stop.signal, pauseMs: 1 });
    expect(left).toEqual([50_000, 50_000]);
  });

  it('processes the deliveries that an earlier process left', async () => {
    const folder = temporaryFolder();
    const store = openSqlite(Date.now, folder);
    const world = new DeliveryWorld(store);
    world.nowMs = Date.now();
    await putSource(store, { name: 'cms', companyId: 'sandbox', mapping: 'body' });
    for (const id of ['one', 'two']) {
      const message = world.message(creation({ customId: id }), { id, source: 'cms', companyId: 'sandbox' });
      await world.inbox.accept(message);
    }
    const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder } });
    onTestFinished(async () => void (await gateway.stop()));
    const state = async (id: string) => readState((await store.read(stateKey({ source: 'cms', id })))?.data).kind;
    await vi.waitFor(
      async () => expect([await state('one'), await state('two')]).toEqual(['done', 'done']),
      EVENTUALLY,
    );
    const headers = { authorization: gateway.authorization };
    const listed = asObjects(await (await fetch(`${gateway.url}/segments/projects`, { headers })).json());
    expect(listed.map(({ customId }) => customId).sort()).toEqual(['one', 'two']);
    expect(gateway.stderr()).not.toMatch(/A page|Hello/);
    expect(await gateway.stop()).toBe(0);
  });
});

it('logs that events of a company cannot be moved, although those of another never end', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const lines: unknown[] = [];
  let rounds = 0;
  const move = async (companyId: string) => {
    if (companyId === 'broken') throw FAILED;
    vi.setSystemTime(Date.now() + 1_000);
    if (++rounds === 200) stop.abort();
    return 'some' as const;
  };
  const companyIds = async function* () {
    yield* ['broken', 'busy'];
  };
  const log = (line: unknown) => {
    lines.push(line);
    stop.abort();
  };
  await keepMovingEvents(move, companyIds, { stop: stop.signal, pauseMs: 1, log });
  expect(lines).toMatchObject([{ operation: 'moveEvents', ...FAILURE }]);
  expect(rounds).toBeLessThanOrEqual(60);
});

describe('the reconciler', () => {
  const NOTHING = { settled: 0, givenUp: 0, left: 0, oldestMs: 0 };

  it('runs one at a time, and logs runs that finished an operation or failed', async () => {
    const { run, lines, options } = runs<Reconciled>([
      NOTHING,
      { ...NOTHING, settled: 2, left: 1, oldestMs: 7 },
      { ...NOTHING, givenUp: 1 },
      FAILED,
      { ...NOTHING, left: 1, failure: FAILED },
      NOTHING,
    ]);
    await keepReconciling(run, options);
    expect(lines).toMatchObject([
      { operation: 'reconciler', settled: 2, givenUp: 0, left: 1, oldestMs: 7 },
      { operation: 'reconciler', settled: 0, givenUp: 1 },
      { operation: 'reconciler', ...FAILURE },
      { operation: 'reconciler', left: 1, ...FAILURE },
    ]);
    expect(JSON.stringify(lines)).not.toContain('Secret');
  });

  it('stops before the next operation of a run', async () => {
    const stop = new AbortController();
    const left: boolean[] = [];
    const reconcile = async (isTimeLeft: () => boolean) => {
      left.push(isTimeLeft());
      stop.abort();
      left.push(isTimeLeft());
      return NOTHING;
    };
    await keepReconciling(reconcile, { stop: stop.signal, pauseMs: 60_000 });
    expect(left).toEqual([true, false]);
  });

  it('finishes an operation that an earlier process left without an answer', async () => {
    const folder = temporaryFolder();
    const account = new UpstreamAccount(Date.now);
    const minuteAgo = () => Date.now() - 60_000;
    const world = new World(Date.now());
    const brief = world.hurried('ours', { companyId: 'sandbox' });
    const killed = upstreamService({
      client: account.client,
      storage: openSqlite(Date.now, folder),
      now: minuteAgo,
      sleep: (ms) => setTimeout(ms),
      newId: () => 'one',
      newEventId: () => 'event',
      startDateToleranceMs: 120_000,
    });
    account.way = every(lost);
    expect(await problemOf(killed.create(world.checked({ customId: 'lost' }), brief))).toMatchObject({
      name: 'outcome-unknown',
    });
    const customId = 'segue.sandbox.n.lost';
    const made = await contentOf(await account.service.get({ customId }, undefined, account.account()));

    const service = await playService(json(200, made));
    const gateway = await startGateway({
      upstream: { url: service.url, ...ACCOUNT },
      env: { SEGUE_DATA_DIR: folder },
    });
    onTestFinished(async () => void (await gateway.stop()));
    const headers = { authorization: gateway.authorization };
    const operation = `${gateway.url}/operations/${operationIdOf('ours')}`;
    await vi.waitFor(async () => {
      const answer = await (await fetch(operation, { headers })).json();
      expect(answer).toMatchObject({ status: 'done', project: { id: made['id'], customId: 'lost' } });
    }, EVENTUALLY);
    expect(service.received.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await gateway.stop()).toBe(0);
  });
});
