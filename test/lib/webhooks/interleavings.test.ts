import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../lib/webhooks/attempt-delivery.ts';
import { throughout } from '../../faults/faulty.ts';
import { creation, DeliveryWorld, itemsThrough } from './world.ts';

/** Lets a scheduler decide whose call of a store comes next. */
function scheduled(world: DeliveryWorld, scheduler: fc.Scheduler) {
  const through = <T>(call: () => Promise<T>) => scheduler.schedule(Promise.resolve()).then(call);
  const store = itemsThrough(world.store, through);
  const service = world.service(throughout(world.projects, through));
  return { store, service, peer: new DeliveryWorld(store) };
}

/** Works until nothing is open. */
async function settle(world: DeliveryWorld): Promise<void> {
  for (let minutes = 0; minutes < 20; minutes++) {
    world.nowMs += LEASE_MS;
    await world.run();
  }
}

describe('in any order of their calls', () => {
  it('three workers run a message once that is sent three times', () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = new DeliveryWorld();
        const { store, service, peer } = scheduled(world, scheduler);
        const message = world.message(creation({ name: 'page' }));
        const sent = [1, 2, 3].map(() => peer.inbox.accept(message));
        const working = [1, 2, 3].map(() => world.work({ store, service }).workOn([message], world.deadline()));
        await scheduler.waitFor(Promise.all([...sent, ...working]));
        expect((await Promise.all(sent)).filter((outcome) => outcome === 'accepted')).toHaveLength(1);
        await settle(world);
        expect(await world.names()).toEqual(['page']);
        expect(await world.stateOf(message)).toMatchObject({ kind: 'done' });
      }),
      { numRuns: 200 },
    ));

  it('workers whose leases expire run it once', () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = new DeliveryWorld();
        const { store, service } = scheduled(world, scheduler);
        const message = world.message(creation({ name: 'page' }));
        await world.inbox.accept(message);
        const late = scheduler.schedule(Promise.resolve()).then(() => {
          world.nowMs += LEASE_MS + 1_000;
        });
        const work = () => world.work({ store, service }).workOn([message], { remainingMs: () => 50_000 });
        const working = [work(), late.then(work), late.then(work)];
        await scheduler.waitFor(Promise.all(working));
        await settle(world);
        expect(await world.names()).toEqual(['page']);
        expect(await world.stateOf(message)).toMatchObject({ kind: 'done' });
        expect(await world.dead()).toEqual([]);
      }),
      { numRuns: 200 },
    ));

  it('a dead letter that two redrive while a third drops it is either open again or dropped', () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const world = new DeliveryWorld();
        const message = world.message(creation({ name: 'page' }));
        await world.inbox.accept(message);
        await world.run({ findSource: async () => undefined });
        const { peer } = scheduled(world, scheduler);
        peer.nowMs = world.nowMs += 1_000;
        const [letter] = await world.dead();
        if (!letter) throw new Error('There is no dead letter');
        const changes = [peer.letters.redrive(letter), peer.letters.drop(letter), peer.letters.redrive(letter)];
        await scheduler.waitFor(Promise.allSettled(changes));
        await settle(world);
        const { kind } = await world.stateOf(message);
        expect(kind).toBeOneOf(['done', 'dropped']);
        expect(await world.names()).toEqual(kind === 'done' ? ['page'] : []);
        expect(await world.dead()).toEqual([]);
      }),
      { numRuns: 200 },
    ));
});
