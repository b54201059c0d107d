import { describe, expect, it } from 'vitest';
import { type CallContext, type DeletionScope, operationIdOf } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { faulty, storeFailure, storeWith } from '../../faults/faulty.ts';
import { segment } from '../../support/projects.ts';
import type { UpstreamService } from '../../support/world.ts';
import { problemOf } from '../support.ts';
import {
  absent,
  answers,
  every,
  HostedUpstream,
  NOTHING_OPEN,
  response,
  SETTLE_MS,
  straight,
  swallowed,
  there,
  young,
} from './world.ts';

const FIELDS = { customId: 'a', segments: [segment(), segment({ taskId: 't' })] };
const WHOLE: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };

describe('the response to a creation', () => {
  it('does not count if it shows a project that was deleted', async () => {
    const { upstream, world, segue, id } = await young();
    const { customId } = FIELDS;
    const repeated = await upstream.transport({
      method: 'GET',
      path: `/segments/projects/${id}`,
      headers: { authorization: `Basic ${Buffer.from('acme:key-at-the-service').toString('base64')}` },
      deadline: { remainingMs: () => 1_000 },
    });
    await segue.delete({ customId }, WHOLE, world.call());
    world.nowMs += 2_000;
    upstream.next('create', async (reach) => {
      await reach();
      return { ...repeated, status: 201 };
    });
    const made = await segue.create(world.checked(FIELDS), world.call());
    expect(made.id).not.toBe(id);
    expect((await segue.get({ customId }, undefined, world.call())).id).toBe(made.id);
  });

  it.each(['fails before', 'fails after'] as const)('is recorded later if every commit of it %s', async (way) => {
    const upstream = new HostedUpstream();
    const { world } = upstream;
    const { through } = faulty((call) => {
      if (call > 1_000) throw new RangeError('The loop does not end');
      return call > 1 ? way : undefined;
    }, storeFailure);
    const commit: Storage['commit'] = (batch) => through(() => world.storage.commit(batch));
    const segue = upstream.segue({ storage: storeWith(world.storage, { commit }) });
    const call = world.once('k');
    const { name, occurrence } = await problemOf(segue.create(world.checked(FIELDS), call));
    expect({ name, ...occurrence }).toMatchObject({ name: 'outcome-unknown', operationId: operationIdOf('k') });
    expect(call.deadline.remainingMs()).toBeGreaterThan(0);
    world.settle();
    await upstream.segue().reconcile(() => true);
    expect(await upstream.state()).toMatchObject({ kind: 'done' });
    expect(await upstream.names()).toEqual(['segue.company.n.a']);
  });
});

it.each<[string, (segue: UpstreamService, id: number, call: CallContext) => Promise<unknown>]>([
  ['read', (segue, id, call) => segue.get({ id }, undefined, call)],
  ['deleted', (segue, id, call) => segue.delete({ id }, WHOLE, call)],
])(
  'an earlier project with the same custom id is not %s in place of a project that a replica does not show',
  async (_, ask) => {
    const { upstream, world, segue, id } = await young();
    world.nowMs += 600_000;
    let shown = response(500);
    upstream.next('read', async (reach) => {
      shown = await reach();
      return shown;
    });
    await segue.get({ id }, undefined, world.call());
    await segue.delete({ id }, WHOLE, world.call());
    const made = await segue.create(world.checked(FIELDS), world.call());
    upstream.asked.splice(0);
    upstream.way = async ({ path }) => (path.includes(`/${made.id}`) ? response(404) : shown);
    expect((await problemOf(ask(segue, made.id, world.call()))).name).toBe('upstream-unavailable');
    expect(upstream.asked).not.toContain('remove');
  },
);

it('a reconciliation does not end an operation that began anew meanwhile', async () => {
  const upstream = new HostedUpstream();
  const { world } = upstream;
  const segue = upstream.segue();
  const leaveOpen = async () => {
    upstream.way = every(swallowed);
    await problemOf(segue.create(world.checked(FIELDS), world.once('k')));
    upstream.way = straight;
    world.settle();
  };
  await leaveOpen();
  let isFirst = true;
  const read: Storage['read'] = async (key) => {
    if (!isFirst) return world.storage.read(key);
    isFirst = false;
    await segue.reconcile(() => true);
    const item = await world.storage.read(key);
    await leaveOpen();
    return item;
  };
  await upstream.segue({ storage: storeWith(world.storage, { read }) }).reconcile(() => true);
  await segue.reconcile(() => true);
  expect(await upstream.state()).toMatchObject({ kind: 'failed' });
});

describe('a project that was created just now', () => {
  it.each([
    ['is read again until the service shows it', SETTLE_MS / 6, 0, undefined],
    ['is unavailable if the request ends before that', Number.POSITIVE_INFINITY, 0, 'upstream-unavailable'],
    ['is gone if it does not appear in the settle time', Number.POSITIVE_INFINITY, SETTLE_MS, 'project-not-found'],
  ] as const)('%s', async (_, laggingMs, waitMs, problem) => {
    const { upstream, world, segue, id } = await young();
    const untilMs = world.nowMs + laggingMs;
    world.nowMs += waitMs;
    upstream.way = (_, reach) => (world.nowMs < untilMs ? absent(reach) : reach());
    const reading = segue.get({ id }, undefined, world.call());
    if (problem) expect((await problemOf(reading)).name).toBe(problem);
    else expect((await reading).id).toBe(id);
  });

  it('is not deleted, and not reported as absent, while no read shows it', async () => {
    const { upstream, remove } = await young();
    upstream.asked.splice(0);
    upstream.way = every(absent);
    const { name, occurrence } = await problemOf(remove());
    expect([name, occurrence.retryAfterSeconds]).toEqual(['upstream-unavailable', expect.any(Number)]);
    expect(upstream.asked).not.toContain('remove');
  });
});

describe('the deletion of a project that was created just now', () => {
  /** Returns fates in which, after the first read, the service answers from a replica without the project. */
  const laggingUntil = ({ upstream, world }: Awaited<ReturnType<typeof young>>, untilMs: number): void => {
    upstream.next('read', there);
    upstream.way = (_, reach) => (world.nowMs < untilMs ? absent(reach) : reach());
  };

  it.each([
    ['a project', WHOLE],
    ['a task', TASK],
  ])('stays open for %s while the replica shows nothing', async (_, scope) => {
    const made = await young();
    const { upstream, world, segue, id, remove, list, reconcile } = made;
    laggingUntil(made, Number.POSITIVE_INFINITY);
    expect((await problemOf(remove(scope))).name).toBe('outcome-unknown');
    expect(await upstream.state()).toEqual({ kind: 'running' });
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect(await list()).toMatchObject([{ id }]);

    upstream.way = straight;
    world.nowMs += SETTLE_MS;
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await upstream.state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
    expect((await segue.get({ id }, 't', world.call())).segments).toBe(1);
    expect(await remove(scope)).toMatchObject({ outcome: 'deleted' });
  });

  it('is sent again when the replica shows the project', async () => {
    const made = await young();
    laggingUntil(made, made.world.nowMs + 3_000);
    expect(await made.remove()).toMatchObject({ outcome: 'deleted' });
    expect(made.upstream.asked.filter((kind) => kind === 'remove')).toHaveLength(2);
    expect(await made.upstream.names()).toEqual([]);
  });

  it.each(['read', 'remove'] as const)('ends at once if another request deletes it before the %s', async (kind) => {
    const { upstream, world, remove, reconcile } = await young();
    upstream.next(kind, async (reach) => {
      expect(await remove(WHOLE, world.call())).toMatchObject({ outcome: 'deleted' });
      return reach();
    });
    const startedMs = world.nowMs;
    const { name, occurrence } = await problemOf(remove());
    expect([name, occurrence.deletedAtUtc]).toEqual(['project-not-found', expect.any(String)]);
    expect(world.nowMs - startedMs).toBeLessThan(1_000);
    expect(await reconcile()).toEqual(NOTHING_OPEN);
  });

  it.each([
    ['two absences', 204, [absent, absent]],
    ['three absences that are not in a row', 204, [absent, there, absent, there, absent]],
    ['absences after the service has only accepted it', 202, Array.from({ length: 60 }, () => absent)],
  ])('is pending after %s', async (_, status, reads) => {
    const { upstream, world, remove, reconcile } = await young();
    upstream.next('remove', answers(status));
    upstream.next('read', there, ...reads);
    expect(await remove()).toMatchObject({ outcome: 'pending' });
    upstream.way = every(absent);
    world.nowMs += SETTLE_MS;
    await reconcile();
    expect(await upstream.state()).toMatchObject({ kind: 'done', result: { outcome: 'deleted' } });
  });
});
