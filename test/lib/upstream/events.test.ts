import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { DomainEvent } from '../../../lib/contract/event.ts';
import type { DeletionScope } from '../../../lib/service/port.ts';
import type { UpstreamOptions } from '../../../lib/upstream/service.ts';
import { segment } from '../../support/projects.ts';
import { absent, type Fate, failing, HostedUpstream, lost, problemOf, swallowed } from './world.ts';

const FIELDS = { customId: 'c', segments: [segment(), segment({ taskId: 't' })] };
const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };

/** The service has only accepted a deletion. */
const accepted: Fate = async () => ({ status: 202, headers: {}, body: new Uint8Array() });

/** A company, and what those who listen are told of it. */
function listening(options: Partial<UpstreamOptions> = {}) {
  const behind = new HostedUpstream();
  const { world } = behind;
  let ids = 0;
  const segue = behind.segue({ newEventId: () => `event-${++ids}`, ...options });
  const events = async () => {
    const { items } = await world.storage.list('company/company', {
      prefix: 'event/',
      limit: 100,
      maxBytes: 1_000_000,
    });
    return items.map(({ data }) => DomainEvent.parse(data));
  };
  return { behind, world, segue, events, reconcile: () => segue.reconcile(() => true) };
}

/** The same with a project that the company made long ago, of which everybody has been told. */
async function owning() {
  const ours = listening();
  const { behind, world, segue } = ours;
  const { id } = await segue.create(world.checked(FIELDS), world.call());
  world.settle();
  const [, ...more] = await ours.events();
  expect(more).toEqual([]);
  const remove = (scope: DeletionScope, requestId = 'request-d') =>
    segue.delete({ id }, scope, world.once('d', { requestId }));
  /** What was told since the project was made. */
  const told = async () => (await ours.events()).filter(({ type }) => type !== 'project.created');
  return { ...ours, behind, id, remove, told };
}

const SCOPES = [
  ['a project', PROJECT, { type: 'project.deleted' }],
  ['a task', TASK, { type: 'task.deleted', taskId: 't' }],
] as const;

describe.each(SCOPES)('those who listen are told of the deletion of %s', (_, scope, what) => {
  it('once, with all there is to tell', async () => {
    const { world, id, remove, told } = await owning();
    const { deletedAtUtc } = await remove(scope);
    const event = { id: expect.any(String), ...what, companyId: 'company', projectId: id, requestId: 'request-d' };
    expect(await told()).toEqual([{ ...event, atUtc: deletedAtUtc }]);
    expect(deletedAtUtc).toBe(utc(world.nowMs));
    await remove(scope);
    expect(await told()).toHaveLength(1);
  });

  it('by the reconciler, with the request that asked for it', async () => {
    const { behind, world, id, remove, told, reconcile } = await owning();
    behind.next('remove', lost);
    behind.next('read', (reach) => reach(), ...Array.from({ length: 60 }, () => failing));
    expect((await problemOf(remove(scope))).name).toBe('outcome-unknown');
    expect(await told()).toEqual([]);
    behind.next('read');
    // After so many failures the service is left alone for a while.
    world.settle();
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await told()).toMatchObject([{ ...what, companyId: 'company', projectId: id, requestId: 'request-d' }]);
    await reconcile();
    await remove(scope);
    expect(await told()).toHaveLength(1);
  });

  it('by a retry, with the request that asked first', async () => {
    const { behind, remove, told } = await owning();
    behind.next('remove', accepted);
    expect(await remove(scope)).toMatchObject({ outcome: 'pending' });
    expect(await told()).toEqual([]);
    expect(await remove(scope, 'request-retry')).toMatchObject({ outcome: 'deleted' });
    expect(await told()).toMatchObject([{ ...what, requestId: 'request-d' }]);
  });

  it('not if nothing was deleted', async () => {
    const { behind, world, remove, told, reconcile } = await owning();
    behind.next('remove', async () => ({ status: 400, headers: {}, body: new Uint8Array() }));
    expect((await problemOf(remove(scope))).name).toBe('upstream-refused');
    behind.next('remove', accepted);
    expect(await remove(scope)).toMatchObject({ outcome: 'pending' });
    world.nowMs += 86_400_000;
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await told()).toEqual([]);
  });

  it('nor if nobody listens', async () => {
    const { world, segue, events } = listening({ newEventId: undefined });
    const { id } = await segue.create(world.checked(FIELDS), world.call());
    expect(await segue.delete({ id }, scope, world.call())).toMatchObject({ outcome: 'deleted' });
    expect(await events()).toEqual([]);
  });
});

describe('those who listen are told of a creation', () => {
  const create = ({ world, segue }: ReturnType<typeof listening>, requestId = 'request-c') =>
    segue.create(world.checked(FIELDS), world.once('k', { requestId, deadline: { remainingMs: () => 1_600 } }));

  it('once, with all there is to tell', async () => {
    const ours = listening();
    const { id } = await create(ours);
    await create(ours);
    const atUtc = utc(ours.world.nowMs);
    const event = { type: 'project.created', companyId: 'company', projectId: id, requestId: 'request-c', atUtc };
    expect(await ours.events()).toEqual([{ id: 'event-1', ...event }]);
  });

  it.each([
    ['by the reconciler', async ({ reconcile }: ReturnType<typeof listening>) => reconcile()],
    ['by a retry', async (ours: ReturnType<typeof listening>) => create(ours, 'request-retry')],
  ])('%s, with the request that asked first', async (_, finish) => {
    const ours = listening();
    const { behind, events, segue, world } = ours;
    behind.next('create', lost);
    behind.next('find', absent);
    expect((await problemOf(create(ours))).name).toBe('outcome-unknown');
    expect(await events()).toEqual([]);
    await finish(ours);
    const { id } = await segue.get({ customId: 'c' }, undefined, world.call());
    const event = { type: 'project.created', companyId: 'company', projectId: id, requestId: 'request-c' };
    expect(await events()).toMatchObject([event]);
    await ours.reconcile();
    await create(ours);
    expect(await events()).toHaveLength(1);
  });

  it('not if nothing was made', async () => {
    const ours = listening();
    ours.behind.next('create', swallowed);
    ours.behind.next('find', absent);
    expect((await problemOf(create(ours))).name).toBe('outcome-unknown');
    ours.world.settle();
    expect(await ours.reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await ours.events()).toEqual([]);
  });
});
