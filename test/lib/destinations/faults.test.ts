import { describe, expect, it } from 'vitest';
import { resultOpener } from '../../../lib/destinations/deliveries.ts';
import { outboxMover } from '../../../lib/events/feed-positions.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { faulty, storeFailure, WAYS } from '../../faults/faulty.ts';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext } from '../support.ts';
import { itemsThrough } from '../webhooks/world.ts';
import { DestinationWorld } from './world.ts';

const HOUR_MS = 3_600_000;
const ENOUGH = { remainingMs: () => 20_000 };

/** Sends what is due for some hours, without faults. */
async function settle(world: DestinationWorld): Promise<void> {
  for (let hours = 0; hours < 3; hours++) {
    world.nowMs += HOUR_MS;
    await world.move();
    await world.run();
  }
  expect(await world.open()).toEqual([]);
}

/** Runs a test for every call and every way that the call can fail. @param test returns the number of its calls */
async function failEveryCall(test: (through: ReturnType<typeof faulty>) => Promise<number>): Promise<void> {
  for (let failing = 1, isOver = false; !isOver; failing++) {
    for (const way of WAYS) {
      const broken = faulty((call) => (call === failing ? way : undefined), storeFailure);
      isOver = (await test(broken)) < failing;
    }
  }
}

it('sends results at least once and with one key, whichever call of the sender fails', () =>
  failEveryCall(async (broken) => {
    const world = new DestinationWorld();
    await world.add();
    await world.page({ a: 'one' });
    await world.workUntilDone();
    await world.move();
    const store = itemsThrough(world.deliveries, broken.through);
    await Promise.race([world.run({ store }).catch(() => {}), broken.stopped]);
    await settle(world);
    expect(world.sent.length).toBeGreaterThan(0);
    expect(new Set(world.sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(world.remembered()).toHaveLength(1);
    return broken.calls();
  }));

it('forgets a deleted project, whichever call of the sender fails', () =>
  failEveryCall(async (broken) => {
    const world = new DestinationWorld();
    await world.add();
    const id = await world.page({ a: 'one' });
    await world.deliver();
    expect(world.remembered()).toHaveLength(1);
    await world.service.delete({ id }, { kind: 'project' }, callContext());
    await world.move();
    const store = itemsThrough(world.deliveries, broken.through);
    await Promise.race([world.run({ store }).catch(() => {}), broken.stopped]);
    await settle(world);
    expect(world.remembered()).toEqual([]);
    expect(world.sent).toHaveLength(1);
    return broken.calls();
  }));

it('opens one delivery for each event, whichever call of a mover fails', () =>
  failEveryCall(async (broken) => {
    const world = new DestinationWorld();
    await world.add({ on: ['project.created', 'language.completed'] });
    await world.page({ a: 'one' });
    await world.workUntilDone();
    const store = itemsThrough(world.storage, broken.through);
    const openResult = resultOpener(itemsThrough(world.deliveries, broken.through), world.now);
    const move = outboxMover({ store, now: world.now, openResult });
    await Promise.race([move('acme', ENOUGH).catch(() => {}), broken.stopped]);
    await world.run();
    await settle(world);
    expect(world.inputs.map(({ event }) => event.type)).toEqual(['project.created', 'language.completed']);
    return broken.calls();
  }));

describe('a move of events', () => {
  /** Returns the reads, lists and commits of a move of the events of a project. */
  async function callsOf(prepare: (world: DestinationWorld) => Promise<unknown>): Promise<string[]> {
    const world = new DestinationWorld();
    await prepare(world);
    await world.page({ a: 'one' });
    await world.workUntilDone();
    const calls: string[] = [];
    const counting = (name: string, store: ListedStore): ListedStore => {
      const count = (call: string) => void calls.push(`${name} ${call}`);
      return {
        async read(key) {
          count('read');
          return store.read(key);
        },
        async list(partition, range) {
          count('list');
          return store.list(partition, range);
        },
        async commit(batch) {
          count('commit');
          return store.commit(batch);
        },
      };
    };
    const openResult = resultOpener(counting('deliveries', world.deliveries), world.now);
    await outboxMover({ store: counting('projects', world.storage), now: world.now, openResult })('acme', ENOUGH);
    return calls;
  }

  it('needs no further call for a company without destinations, nor for one whose destinations want other events', async () => {
    const without = await callsOf(async () => {});
    expect(without).toEqual(['projects list', 'projects read', 'projects commit']);
    expect(await callsOf((world) => world.add({ companyId: 'other' }))).toEqual(without);
    expect(await callsOf((world) => world.add({ on: ['translation.failed'] }))).toEqual(without);
  });
});

describe.each<[string, () => ListedStore]>([
  ['memory', () => new MemoryStorage()],
  ['SQLite', () => openSqlite(() => new DestinationWorld().nowMs)],
  ['DynamoDB', () => dynamoDbItems('segue', new DynamoDbStandIn().client)],
])('with deliveries in %s', (_, open) => {
  it('a language is sent, sent again after a change, and forgotten', async () => {
    const world = new DestinationWorld(open());
    await world.add();
    const contents = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`s${n}`, `content ${n}`]));
    const id = await world.page(contents);
    await world.deliver();
    const segments = Object.entries({ ...contents, s7: 'new' }).map(([customId, content]) => ({ customId, content }));
    const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
    await world.service.put({ ref: { id }, project: world.checked({ targetLanguages, segments }) }, callContext());
    await world.deliver();
    expect(world.inputs.map((input) => input.segments.filter(({ changed }) => changed).length)).toEqual([6_000, 1]);
    await world.service.delete({ id }, { kind: 'project' }, callContext());
    await world.deliver();
    expect(await world.open()).toEqual([]);
    const { destinationId } = await world.admin.get('cms');
    const left = await world.deliveries.list(`result-delivered/${destinationId}`, {
      prefix: '',
      limit: 10,
      maxBytes: 1_000,
    });
    expect(left.items).toEqual([]);
  });
});
