import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { companyPartition, PROJECT_PREFIX } from '../../lib/idempotency/project-item.ts';
import type { CallContext, DeletionScope, ProjectService } from '../../lib/service/port.ts';
import { operationIdOf } from '../../lib/service/port.ts';
import { FEWER_WAYS, faulty, type Way } from './faulty.ts';
import { SETTLE_MS, UpstreamWorld } from './upstream-world.ts';
import { endingOf, type Process, REQUEST_MS } from './world.ts';

const KEY = 'the key';
const FIELDS = { customId: 'ours', segments: [{ content: 'one' }, { content: 'two', taskId: 'task' }] };
const TASK: DeletionScope = { kind: 'task', taskId: 'task' };
const PROJECT: DeletionScope = { kind: 'project' };
const Whole = z.object({ id: z.int(), segments: z.array(z.unknown()) });

/** A request with the key, and how many segments of how many projects there are once it was carried out. */
interface Scenario {
  readonly before: boolean;
  readonly send: (service: ProjectService, world: UpstreamWorld, call: CallContext) => Promise<unknown>;
  readonly leaves: readonly number[];
  /** How long the service may take for it after it was sent, in milliseconds. */
  readonly onItsWayMs: number;
}

/** A deletion of which nobody heard may have been accepted: then it takes up to a day. */
const DAY_MS = 86_400_000;
const remove = (scope: DeletionScope, leaves: readonly number[]): Scenario => ({
  before: true,
  send: (service, _, call) => service.delete({ customId: 'ours' }, scope, call),
  leaves,
  onItsWayMs: DAY_MS,
});
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a creation': {
    before: false,
    send: (service, world, call) => service.create(world.project(FIELDS), call),
    leaves: [2],
    onItsWayMs: SETTLE_MS,
  },
  'a deletion': remove(PROJECT, []),
  'the deletion of a task': remove(TASK, [1]),
};

/** Lets a process work some of whose calls come to something else, until it is done or has stopped. */
async function attempt(
  world: UpstreamWorld,
  work: (process: Process) => Promise<unknown>,
  wayOf: (call: number) => Way | undefined,
): Promise<number> {
  const broken = faulty(wayOf, world.failure);
  await Promise.race([endingOf(() => work(world.process(broken.through))), broken.stopped]);
  return broken.calls();
}

/** A company in whose world a request was sent, one of whose calls came to something else. */
async function sent(scenario: Scenario, failing: number, way: Way) {
  const world = new UpstreamWorld();
  const { companyId, keyId } = await world.newKey();
  const call = () => ({ ...world.call(companyId, KEY), requestedBy: { kind: 'key', id: keyId } as const });
  const sound = world.process((through) => through());
  if (scenario.before) await sound.service.create(world.project(FIELDS), world.call(companyId));
  world.nowMs += 1_000;
  const request = ({ service }: Process) => scenario.send(service, world, call());
  const calls = await attempt(world, request, (number) => (number === failing ? way : undefined));
  return { world, companyId, call, sound, request, calls };
}
type Sent = Awaited<ReturnType<typeof sent>>;

/** Reconciles until nothing is open, which takes no longer than whatever is on its way. */
async function settle({ world, sound, companyId }: Sent, onItsWayMs: number): Promise<void> {
  world.nowMs += REQUEST_MS + 1_000 + onItsWayMs;
  await sound.sweep();
  await sound.sweep();
  expect(await world.pending(companyId)).toEqual([]);
}

/** What the service has of the company is what the ledger has, and no operation is running. */
async function expectWhole({ world, companyId, sound }: Sent): Promise<number[]> {
  const there = (await world.payloads(companyId)).map(({ bytes }) => Whole.parse(JSON.parse(`${Buffer.from(bytes)}`)));
  const sorts = world.storage.sorts(companyPartition(companyId)).filter((sort) => sort.startsWith(PROJECT_PREFIX));
  expect(sorts.map((sort) => Number(sort.slice(PROJECT_PREFIX.length)))).toEqual(there.map(({ id }) => id));
  const state = await endingOf(() => sound.service.operation(operationIdOf(KEY), world.call(companyId)));
  expect(state).not.toMatchObject({ value: { kind: 'running' } });
  return there.map(({ segments }) => segments.length);
}

/** The operation has ended and is told, and the same request again comes to what it was about. */
async function expectSettled(scenario: Scenario, ours: Sent): Promise<void> {
  await settle(ours, scenario.onItsWayMs);
  await expectWhole(ours);
  const ending = await endingOf(() => ours.request(ours.sound));
  expect(ending.is).not.toBe('refused');
  expect(await expectWhole(ours)).toEqual(scenario.leaves);
}

describe.each(Object.entries(SCENARIOS))('%s that is left to the reconciler', (_, scenario) => {
  const LAST = 60;

  it('has ended, wherever and however it failed', async () => {
    for (let failing = 1; failing <= LAST; failing++) {
      let isOver = false;
      for (const way of FEWER_WAYS) {
        const ours = await sent(scenario, failing, way);
        isOver = ours.calls < failing;
        await expectSettled(scenario, ours);
      }
      if (isOver) return;
    }
    expect.unreachable('The request makes more calls than it can');
  });

  // To stop before a call is to stop after the one before it.
  it('has ended, wherever it stopped and wherever the reconciler fails too', async () => {
    for (let failing = 1; ; failing++) {
      let isDone = false;
      for (let within = 1; !isDone; within++) {
        for (const way of ['fails before', 'fails after', 'stops after'] as const) {
          const ours = await sent(scenario, failing, 'stops after');
          if (ours.calls < failing) return;
          ours.world.nowMs += REQUEST_MS + 1_000;
          const calls = await attempt(
            ours.world,
            ({ sweep }) => sweep(),
            (number) => (number === within ? way : undefined),
          );
          isDone = calls < within;
          await expectSettled(scenario, ours);
        }
      }
    }
  });
});
