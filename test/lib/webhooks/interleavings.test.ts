import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creation, DeliveryWorld, LEASE_MS } from './world.ts';

/** Runs a test with the calls of its stores in several orders, which are the same in every run. */
const inAnyOrder = (
  test: (
    world: DeliveryWorld,
    peer: ReturnType<DeliveryWorld['processThrough']>,
    scheduler: fc.Scheduler,
  ) => Promise<void>,
) =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const world = new DeliveryWorld();
      const through = <T>(call: () => Promise<T>) => scheduler.schedule(Promise.resolve()).then(call);
      await test(world, world.processThrough(through), scheduler);
    }),
    { numRuns: 60, seed: 1 },
  );

describe('in any order of their calls', () => {
  it('three workers run a message only once if it is sent three times', () =>
    inAnyOrder(async (world, peer, scheduler) => {
      const message = world.message(creation({ name: 'page' }));
      const sent = [1, 2, 3].map(() => peer.inbox.accept(message));
      const working = [1, 2, 3].map(() => world.work(peer).workOn([message], world.deadline()));
      await scheduler.waitFor(Promise.all([...sent, ...working]));
      expect((await Promise.all(sent)).filter((outcome) => outcome === 'accepted')).toHaveLength(1);
      await world.settle();
      expect(await world.names()).toEqual(['page']);
      expect(await world.stateOf(message)).toMatchObject({ kind: 'done' });
    }));

  it('workers whose leases expire run a message once', () =>
    inAnyOrder(async (world, peer, scheduler) => {
      const message = world.message(creation({ name: 'page' }));
      await world.inbox.accept(message);
      const late = scheduler.schedule(Promise.resolve()).then(() => {
        world.nowMs += LEASE_MS + 1_000;
      });
      const work = () => world.work(peer).workOn([message], { remainingMs: () => 50_000 });
      await scheduler.waitFor(Promise.all([work(), late.then(work), late.then(work)]));
      await world.settle();
      expect(await world.names()).toEqual(['page']);
      expect(await world.stateOf(message)).toMatchObject({ kind: 'done' });
      expect(await world.dead()).toEqual([]);
    }));

  it('a dead letter is either open again or dropped if two redrive it while a third drops it', () =>
    inAnyOrder(async (world, peer, scheduler) => {
      const message = world.message(creation({ name: 'page' }));
      await world.inbox.accept(message);
      await world.run({ findSource: async () => undefined });
      world.nowMs += 1_000;
      const letter = await world.deadLetter();
      const changes = [peer.letters.redrive(letter), peer.letters.drop(letter), peer.letters.redrive(letter)];
      await scheduler.waitFor(Promise.allSettled(changes));
      await world.settle();
      const { kind } = await world.stateOf(message);
      expect(kind).toBeOneOf(['done', 'dropped']);
      expect(await world.names()).toEqual(kind === 'done' ? ['page'] : []);
      expect(await world.dead()).toEqual([]);
    }));
});
