import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { DomainEvent } from '../../../lib/contract/event.ts';
import type { DeletionScope } from '../../../lib/service/port.ts';
import type { UpstreamOptions } from '../../../lib/upstream/service.ts';
import { segment } from '../../support/projects.ts';
import { absent, accepted, failing, HostedUpstream, lost, problemOf, swallowed } from './world.ts';

const FIELDS = { customId: 'c', segments: [segment(), segment({ taskId: 't' })] };
const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };

/** Segue with the events of a company. */
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

describe.each(SCOPES)('the deletion of %s is published', (_, scope, what) => {
  it('once, with all fields', async () => {
    const { world, id, remove, told } = await owning();
    const { deletedAtUtc } = await remove(scope);
    const event = { id: expect.any(String), ...what, companyId: 'company', projectId: id, requestId: 'request-d' };
    expect(await told()).toEqual([{ ...event, atUtc: deletedAtUtc }]);
    expect(deletedAtUtc).toBe(utc(world.nowMs));
    await remove(scope);
    expect(await told()).toHaveLength(1);
  });

  it('by the reconciler, with the id of the first request', async () => {
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

  it('by a retry, with the id of the first request', async () => {
    const { behind, remove, told } = await owning();
    behind.next('remove', accepted);
    expect(await remove(scope)).toMatchObject({ outcome: 'pending' });
    expect(await told()).toEqual([]);
    expect(await remove(scope, 'request-retry')).toMatchObject({ outcome: 'deleted' });
    expect(await told()).toMatchObject([{ ...what, requestId: 'request-d' }]);
  });

  it('only if something was deleted', async () => {
    const { behind, world, remove, told, reconcile } = await owning();
    behind.next('remove', async () => ({ status: 400, headers: {}, body: new Uint8Array() }));
    expect((await problemOf(remove(scope))).name).toBe('upstream-refused');
    behind.next('remove', accepted);
    expect(await remove(scope)).toMatchObject({ outcome: 'pending' });
    world.nowMs += 86_400_000;
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await told()).toEqual([]);
  });

  it('only if events are enabled', async () => {
    const { world, segue, events } = listening({ newEventId: undefined });
    const { id } = await segue.create(world.checked(FIELDS), world.call());
    expect(await segue.delete({ id }, scope, world.call())).toMatchObject({ outcome: 'deleted' });
    expect(await events()).toEqual([]);
  });
});

describe('a creation is published', () => {
  const create = ({ world, segue }: ReturnType<typeof listening>, requestId = 'request-c') =>
    segue.create(world.checked(FIELDS), world.once('k', { requestId, deadline: { remainingMs: () => 1_600 } }));

  it('once, with all fields', async () => {
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
  ])('%s, with the id of the first request', async (_, finish) => {
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

  it('only if a project was created', async () => {
    const ours = listening();
    ours.behind.next('create', swallowed);
    ours.behind.next('find', absent);
    expect((await problemOf(create(ours))).name).toBe('outcome-unknown');
    ours.world.settle();
    expect(await ours.reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await ours.events()).toEqual([]);
  });
});
