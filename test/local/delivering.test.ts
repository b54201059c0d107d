import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readState, stateKey } from '../../lib/webhooks/records.ts';
import type { Worked } from '../../lib/webhooks/work.ts';
import { keepDelivering } from '../../local/delivering.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { putSource } from '../lib/webhooks/source.ts';
import { creation, DeliveryWorld } from '../lib/webhooks/world.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';

const NOTHING: Worked = { done: 0, postponed: 0, dead: 0, left: 0, oldestMs: 0, letters: 0 };

test('runs follow one another, whatever becomes of them, and tell what ended and why they failed', async () => {
  const stop = new AbortController();
  const lines: unknown[] = [];
  const ends = [
    async () => NOTHING,
    async () => ({ ...NOTHING, done: 2, letters: 1 }),
    async () => Promise.reject(new RangeError('Secret words')),
    async () => NOTHING,
  ];
  let running = 0;
  const due = vi.fn(async () => {
    expect(++running).toBe(1);
    await setTimeout(1);
    running--;
    const end = ends[due.mock.calls.length - 1];
    if (due.mock.calls.length === ends.length) stop.abort();
    return end ? end() : NOTHING;
  });
  await keepDelivering({ work: { due }, stop: stop.signal, pauseMs: 1, log: (line) => lines.push(line) });
  expect(due).toHaveBeenCalledTimes(ends.length);
  expect(lines).toMatchObject([
    { operation: 'deliveries', done: 2, letters: 1 },
    { operation: 'deliveries', problem: 'internal-error', cause: { name: 'RangeError' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('Secret');
});

test('a stop ends a pause at once, and a run has no more time', async () => {
  const stop = new AbortController();
  const left: number[] = [];
  const due = async ({ remainingMs }: { remainingMs(): number }) => {
    stop.abort();
    left.push(remainingMs());
    return NOTHING;
  };
  await keepDelivering({ work: { due }, stop: stop.signal, pauseMs: 60_000 });
  expect(left).toEqual([0]);
});

test('what came to a process that was killed is done by the next, and a mapping without end holds up nothing', async () => {
  const folder = temporaryFolder();
  const store = openSqlite(Date.now, folder);
  const world = new DeliveryWorld(store);
  world.nowMs = Date.now();
  await putSource(store, { name: 'cms', companyId: 'sandbox', mapping: 'body' });
  const endless = '($f := function($x) { $f($x + 1) }; $f(1))';
  await putSource(store, { name: 'endless', companyId: 'sandbox', mapping: endless });
  const send = (id: string, source = 'cms') =>
    world.inbox.accept(world.message(creation({ customId: id }), { id, source, companyId: 'sandbox' }));
  const kindOf = async (id: string, source = 'cms') =>
    readState((await store.read(stateKey({ source, id })))?.data).kind;

  const killed = await startGateway({ env: { SEGUE_DATA_DIR: folder } });
  await send('one');
  await vi.waitFor(async () => expect(await kindOf('one')).toBe('done'), EVENTUALLY);
  killed.process.kill('SIGKILL');
  await killed.stop();

  for (const id of ['a', 'b']) await send(id, 'endless');
  for (const id of ['two', 'three']) await send(id);
  const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder } });
  onTestFinished(async () => void (await gateway.stop()));
  await vi.waitFor(async () => expect(await kindOf('three')).toBe('done'), EVENTUALLY);
  await vi.waitFor(
    async () => expect([await kindOf('a', 'endless'), await kindOf('b', 'endless')]).toEqual(['dead', 'dead']),
    EVENTUALLY,
  );
  expect(await kindOf('two')).toBe('done');
  const headers = { authorization: gateway.authorization };
  const listed: unknown = await (await fetch(`${gateway.url}/segments/projects`, { headers })).json();
  expect(listed).toEqual(['three', 'two', 'one'].map(() => expect.objectContaining({ name: 'A page' })));
  expect(gateway.stderr()).not.toMatch(/A page|Hello/);
  expect(await gateway.stop()).toBe(0);
});
