import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import type { DomainEvent } from '../../../lib/contract/event.ts';
import { readOutboxRecord } from '../../../lib/records/feed-record.ts';
import { type DeletionScope, operationIdOf } from '../../../lib/service/port.ts';
import type { UpstreamOptions } from '../../../lib/upstream/deps.ts';
import { segment } from '../../support/projects.ts';
import { problemOf } from '../support.ts';
import type { Kind } from './server.ts';
import { absent, accepted, answers, DAY_MS, failing, HostedUpstream, lost, swallowed } from './world.ts';

const FIELDS = { customId: 'c', segments: [segment(), ...['t', 'u'].map((taskId) => segment({ taskId }))] };

/** Returns Segue with the events of a company. */
function listening(options: Partial<UpstreamOptions> = {}) {
  const behind = new HostedUpstream();
  const { world } = behind;
  let ids = 0;
  const segue = behind.segue({ newEventId: () => `event-${++ids}`, ...options });
  const create = (requestId: string) =>
    segue.create(world.checked(FIELDS), world.hurried('c', { requestId })).then(({ id }) => id);
  const range = { prefix: 'outbox/', limit: 100, maxBytes: 1_000_000 };
  const events = async () =>
    (await world.storage.list('company/company/events', range)).items.map(({ data }) => readOutboxRecord(data).event);
  return { behind, world, segue, create, events, reconcile: () => segue.reconcile(() => true) };
}
type Listening = ReturnType<typeof listening>;

interface Change {
  readonly event: Pick<DomainEvent, 'type' | 'taskId' | 'sequence'>;
  /** Creates a project that is visible everywhere, if the change needs one. */
  readonly arrange: (ours: Listening) => Promise<number>;
  /**
   * Sends the change.
   * @returns the id of the project
   */
  readonly send: (ours: Listening, id: number, requestId: string) => Promise<number>;
  readonly kind: Kind;
  /** Hides the result of a lost request from lookups. */
  readonly hide: (behind: HostedUpstream) => void;
}

const creation: Change = {
  event: { type: 'project.created', sequence: 1 },
  arrange: async () => 0,
  send: ({ create }, _, requestId) => create(requestId),
  kind: 'create',
  hide: (behind) => behind.next('find', absent),
};

const deletion = (scope: DeletionScope, event: Change['event']): Change => ({
  event,
  async arrange({ create, world }) {
    const id = await create('earlier');
    world.settle();
    return id;
  },
  send: async ({ segue, world }, id, requestId) =>
    (await segue.delete({ id }, scope, world.once('d', { requestId }))).projectId,
  kind: 'remove',
  hide: (behind) => behind.next('read', (reach) => reach(), ...Array.from({ length: 60 }, () => failing)),
});

describe.each<[string, Change]>([
  ['a creation', creation],
  ['the deletion of a project', deletion({ kind: 'project' }, { type: 'project.deleted', sequence: 2 })],
  [
    'the deletion of a task',
    deletion({ kind: 'task', taskId: 't' }, { type: 'task.deleted', taskId: 't', sequence: 2 }),
  ],
])('%s is published', (_, { event, arrange, send, kind, hide }) => {
  /** Returns Segue before the change, and the events since then. */
  async function arranged() {
    const ours = listening();
    const id = await arrange(ours);
    const { length } = await ours.events();
    return { ...ours, id, told: async () => (await ours.events()).slice(length) };
  }

  it('once, with all fields', async () => {
    const ours = await arranged();
    const projectId = await send(ours, ours.id, 'request');
    const { taskId } = event;
    const data = { projectId, ...(taskId !== undefined && { taskId }) };
    const fields = { companyId: 'company', projectId, requestId: 'request', data };
    const atUtc = utc(ours.world.nowMs);
    expect(await ours.told()).toEqual([{ id: expect.any(String), ...event, ...fields, atUtc }]);
    await send(ours, ours.id, 'request');
    expect(await ours.told()).toHaveLength(1);
  });

  it.each([
    ['the reconciler', ({ reconcile }: Listening) => reconcile()],
    ['a retry', (ours: Listening, id: number) => send(ours, id, 'retry')],
  ])('by %s, with the id of the first request', async (_, finish) => {
    const ours = await arranged();
    ours.behind.next(kind, lost);
    hide(ours.behind);
    expect((await problemOf(send(ours, ours.id, 'request'))).name).toBe('outcome-unknown');
    expect(await ours.told()).toEqual([]);
    for (const hidden of ['find', 'read'] as const) ours.behind.next(hidden);
    // After so many failures, Segue sends the service nothing for a while.
    ours.world.settle();
    await finish(ours, ours.id);
    expect(await ours.told()).toMatchObject([{ ...event, companyId: 'company', requestId: 'request' }]);
    await ours.reconcile();
    await send(ours, ours.id, 'request');
    expect(await ours.told()).toHaveLength(1);
  });

  it.each([
    ['refused', answers(400)],
    ['not done', kind === 'create' ? swallowed : accepted],
  ])('only if it took effect: %s', async (_, fate) => {
    const ours = await arranged();
    ours.behind.next(kind, fate);
    await send(ours, ours.id, 'request').catch(() => {});
    ours.world.nowMs += DAY_MS;
    await ours.reconcile();
    expect(await ours.segue.operation(operationIdOf(kind === 'create' ? 'c' : 'd'), ours.world.call())).toMatchObject({
      kind: 'failed',
    });
    expect(await ours.told()).toEqual([]);
  });
});

it('the events of a project are numbered without gaps, also if two changes commit at the same time', async () => {
  const { create, events, segue, world } = listening();
  const id = await create('first');
  world.settle();
  const tasks = ['t', 'u'].map((taskId) =>
    segue.delete({ id }, { kind: 'task', taskId }, world.once(taskId, { requestId: taskId })),
  );
  await Promise.all(tasks);
  await segue.delete({ id }, { kind: 'project' }, world.once('d', { requestId: 'last' }));
  expect((await events()).map(({ type, sequence }) => [type, sequence])).toEqual([
    ['project.created', 1],
    ['task.deleted', 2],
    ['task.deleted', 3],
    ['project.deleted', 4],
  ]);
});
