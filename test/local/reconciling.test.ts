import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { operationIdOf } from '../../lib/service/operation-id.ts';
import type { Call } from '../../lib/service/port.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { keepReconciling } from '../../local/reconciling.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { playAccount, silence } from '../lib/upstream/account.ts';
import { call, checked } from '../lib/upstream/real-time.ts';
import { json, playService } from '../lib/upstream/server.ts';
import { ACCOUNT, problemOf } from '../lib/upstream/world.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';

const NOTHING = { settled: 0, givenUp: 0, left: 0, oldestMs: 0 };

test('runs follow one another, whatever becomes of them, and tell what they finished and why they failed', async () => {
  const stop = new AbortController();
  const lines: unknown[] = [];
  let running = 0;
  const ends = [
    async () => NOTHING,
    async () => ({ ...NOTHING, settled: 2, left: 1, oldestMs: 7 }),
    async () => ({ ...NOTHING, givenUp: 1 }),
    async () => Promise.reject(new RangeError('Secret words')),
    async () => ({ ...NOTHING, left: 1, failure: new TypeError('Secret words') }),
    async () => NOTHING,
  ];
  const reconcile = vi.fn(async () => {
    expect(++running).toBe(1);
    await setTimeout(1);
    running--;
    const end = ends[reconcile.mock.calls.length - 1];
    if (reconcile.mock.calls.length === ends.length) stop.abort();
    return end ? end() : NOTHING;
  });
  await keepReconciling({ reconcile, stop: stop.signal, pauseMs: 1, log: (line) => lines.push(line) });
  expect(reconcile).toHaveBeenCalledTimes(ends.length);
  expect(lines).toMatchObject([
    { operation: 'reconciler', settled: 2, givenUp: 0, left: 1, oldestMs: 7 },
    { operation: 'reconciler', settled: 0, givenUp: 1 },
    { operation: 'reconciler', problem: 'internal-error', cause: { name: 'RangeError' } },
    { operation: 'reconciler', left: 1, problem: 'internal-error', cause: { name: 'TypeError' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('Secret');
});

test('a stop ends a pause at once, and a run before its next operation', async () => {
  const stop = new AbortController();
  const left: boolean[] = [];
  const reconcile = async (isTimeLeft: () => boolean) => {
    left.push(isTimeLeft());
    setImmediate(() => stop.abort());
    return NOTHING;
  };
  await keepReconciling({ reconcile, stop: stop.signal, pauseMs: 60_000 });
  expect(left).toEqual([true]);
  const during = new AbortController();
  const stopped = async (isTimeLeft: () => boolean) => {
    during.abort();
    left.push(isTimeLeft());
    return NOTHING;
  };
  await keepReconciling({ reconcile: stopped, stop: during.signal, pauseMs: 60_000 });
  expect(left).toEqual([true, false]);
});

test('a start finishes what a process left that was killed while the service was silent', async () => {
  const folder = temporaryFolder();
  const account = playAccount({ now: Date.now });
  const minuteAgo = () => Date.now() - 60_000;
  const brief: Call = {
    ...call,
    companyId: 'sandbox',
    deadline: { remainingMs: () => 1_510 },
    idempotency: { key: 'ours', replayed: () => {} },
  };
  const killed = upstreamService({
    client: account.client,
    storage: openSqlite(Date.now, folder),
    now: minuteAgo,
    sleep: (ms) => setTimeout(ms),
    newId: () => 'one',
    startDateToleranceMs: 120_000,
  });
  account.after = silence;
  expect(await problemOf(killed.create(checked({ customId: 'lost' }), brief))).toMatchObject({
    name: 'outcome-unknown',
  });
  const [made] = account.projects.values();

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
    expect(answer).toMatchObject({ status: 'done', project: { id: made?.id, customId: 'lost' } });
  }, EVENTUALLY);
  expect(service.received.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(await gateway.stop()).toBe(0);
});
