import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../lib/webhooks/attempt-delivery.ts';
import { faulty, storeFailure, throughout, WAYS, type Way } from '../../faults/faulty.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { creation, DAY_MS, DeliveryWorld, itemsThrough } from './world.ts';

const DELETION = { delete: { scope: 'task', customId: 'before', taskId: 'one' } };
/** What is received, and the projects that there are in the end. */
const MESSAGES: Readonly<Record<string, { readonly body: unknown; readonly made: readonly string[]; dead?: true }>> = {
  'a creation': { body: creation({ customId: 'page' }), made: ['before', 'page'] },
  'a deletion': { body: DELETION, made: ['before'] },
  'two commands': { body: [creation(), DELETION], made: ['', 'before'] },
  'a command and one that is refused': { body: [creation(), { create: {} }], made: ['', 'before'], dead: true },
  'nothing to do': { body: null, made: ['before'] },
  'no command': { body: { create: {} }, made: ['before'], dead: true },
};

/** A world with a project, in which a message has come. */
async function received(body: unknown) {
  const world = new DeliveryWorld();
  const segments = [{ content: 'one', taskId: 'one' }, { content: 'two' }];
  await world.inbox.accept(world.message(creation({ customId: 'before', segments })));
  await world.run();
  world.nowMs += 1_000;
  return { world, message: world.message(body) };
}

/** Lets a process work whose calls of both stores fail as they are told to, until it has ended or stopped. */
async function workBadly(world: DeliveryWorld, wayOf: (call: number) => Way | undefined): Promise<number> {
  const broken = faulty(wayOf, storeFailure);
  const store = itemsThrough(world.store, broken.through);
  const service = world.service(throughout(world.projects, broken.through));
  await Promise.race([world.run({ store, service }).catch(() => {}), broken.stopped]);
  return broken.calls();
}

/** What is in the store of a world, as the places of its items. */
function placesIn({ store }: DeliveryWorld): string[] {
  if (!(store instanceof MemoryStorage)) throw new TypeError('Another store cannot be looked into');
  return store.all().map(({ partition, sort }) => `${partition.replace(/\d+$/, '')} ${sort}`);
}

const openIn = (world: DeliveryWorld) => placesIn(world).filter((place) => place.startsWith('open-deliveries/'));

/** Works until nothing is open, as the schedule does. */
async function settle(world: DeliveryWorld): Promise<void> {
  for (let minutes = 0; minutes < 60 && (minutes === 0 || openIn(world).length > 0); minutes++) {
    world.nowMs += LEASE_MS;
    await world.run();
  }
}

async function expectEnd(world: DeliveryWorld, { made, dead }: (typeof MESSAGES)[string]): Promise<void> {
  expect(await world.made()).toEqual(made);
  expect(await world.dead()).toHaveLength(dead ? 1 : 0);
  expect(openIn(world)).toEqual([]);
  expect(placesIn(world).filter((place) => place.endsWith(' message'))).toHaveLength(dead ? 1 : 0);
}

describe.each(Object.entries(MESSAGES))('%s', (_, scenario) => {
  it('ends once, whichever call of a worker fails in any way', async () => {
    for (let failing = 1, isOver = false; !isOver; failing++) {
      for (const way of WAYS) {
        const { world, message } = await received(scenario.body);
        await world.inbox.accept(message);
        isOver = (await workBadly(world, (call) => (call === failing ? way : undefined))) < failing;
        await settle(world);
        await expectEnd(world, scenario);
      }
    }
  });

  it('ends once, at whichever calls two workers are killed one after the other', async () => {
    for (let first = 1, isOver = false; !isOver; first++) {
      for (let second = 1, isDone = false; !isDone; second++) {
        const { world, message } = await received(scenario.body);
        await world.inbox.accept(message);
        isOver = (await workBadly(world, (call) => (call === first ? 'stops after' : undefined))) < first;
        world.nowMs += LEASE_MS;
        isDone = (await workBadly(world, (call) => (call === second ? 'stops after' : undefined))) < second;
        await settle(world);
        await expectEnd(world, scenario);
      }
    }
  });

  it('is neither lost nor repeated, whichever call of the inbox fails before its sender retries', async () => {
    for (let failing = 1, isOver = false; !isOver; failing++) {
      for (const way of WAYS) {
        const { world, message } = await received(scenario.body);
        const broken = faulty((call) => (call === failing ? way : undefined), storeFailure);
        const { inbox } = new DeliveryWorld(itemsThrough(world.store, broken.through));
        await Promise.race([inbox.accept(message).catch(() => {}), broken.stopped]);
        isOver = broken.calls() < failing;
        world.nowMs += 10_000;
        await world.run();
        expect(await world.inbox.accept(message)).toBeOneOf(['accepted', 'repeated']);
        await settle(world);
        await expectEnd(world, scenario);
      }
    }
  });

  it('is not lost, whichever call of a redrive fails', async () => {
    for (let failing = 1, isOver = false; !isOver; failing++) {
      for (const way of WAYS) {
        const { world, message } = await received(scenario.body);
        await world.inbox.accept(message);
        await world.run({ findSource: async () => undefined });
        const [letter] = await world.dead();
        if (!letter) throw new Error('There is no dead letter');
        world.nowMs += DAY_MS;
        const broken = faulty((call) => (call === failing ? way : undefined), storeFailure);
        const { letters } = new DeliveryWorld(itemsThrough(world.store, broken.through));
        await Promise.race([letters.redrive(letter).catch(() => {}), broken.stopped]);
        isOver = broken.calls() < failing;
        const [still] = await world.dead();
        if (still) expect(await world.letters.redrive(still)).toBe(true);
        await settle(world);
        await expectEnd(world, scenario);
      }
    }
  });
});
