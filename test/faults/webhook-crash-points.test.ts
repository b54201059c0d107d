import { describe, expect, it } from 'vitest';
import { creation, DAY_MS, DeliveryWorld, LEASE_MS } from '../lib/webhooks/world.ts';
import { MemoryStorage } from '../support/memory-storage.ts';
import { type Faulty, faulty, storeFailure, WAYS } from './faulty.ts';

const DELETION = { delete: { scope: 'task', customId: 'before', taskId: 'one' } };

/** The projects after a message, and whether the message becomes a dead letter. */
interface Scenario {
  readonly body: unknown;
  readonly made: readonly string[];
  readonly dead?: true;
}

const CREATION: Scenario = { body: creation({ customId: 'page' }), made: ['before', 'page'] };
const SCENARIOS: readonly [string, Scenario][] = [
  ['a creation', CREATION],
  ['a deletion', { body: DELETION, made: ['before'] }],
  ['two commands', { body: [creation(), DELETION], made: ['', 'before'] }],
  ['a command and a refused one', { body: [creation(), { create: {} }], made: ['', 'before'], dead: true }],
  ['nothing', { body: null, made: ['before'] }],
];

/** Returns a world with a project, and a message that has not arrived yet. */
async function worldBefore({ body }: Scenario) {
  const world = new DeliveryWorld();
  const segments = [{ content: 'one', taskId: 'one' }, { content: 'two' }];
  await world.inbox.accept(world.message(creation({ customId: 'before', segments })));
  await world.run();
  world.nowMs += 1_000;
  return { world, message: world.message(body) };
}

/**
 * Runs a scenario for every call and every way that the call can fail.
 * @param attempt runs until the call that fails
 */
async function failEveryCall(
  scenario: Scenario,
  attempt: (parts: Awaited<ReturnType<typeof worldBefore>>, broken: Faulty) => Promise<void>,
): Promise<void> {
  for (let failing = 1, isOver = false; !isOver; failing++) {
    for (const way of WAYS) {
      const parts = await worldBefore(scenario);
      const broken = faulty((call) => (call === failing ? way : undefined), storeFailure);
      await attempt(parts, broken);
      isOver = broken.calls() < failing;
      await expectEnd(parts.world, scenario);
    }
  }
}

/** Works until no delivery is open, and checks that the message was applied once. */
async function expectEnd(world: DeliveryWorld, { made, dead }: Scenario): Promise<void> {
  await world.settle();
  expect(await world.openCount()).toBe(0);
  expect(await world.made()).toEqual(made);
  expect(await world.dead()).toHaveLength(dead ? 1 : 0);
  const items = world.store instanceof MemoryStorage ? world.store.all() : [];
  expect(items.filter(({ sort }) => sort === 'message')).toHaveLength(dead ? 1 : 0);
}

describe.each(SCENARIOS)('%s', (_, scenario) => {
  it('is applied once, whichever call of a worker fails', () =>
    failEveryCall(scenario, async ({ world, message }, broken) => {
      await world.inbox.accept(message);
      await world.runFaulty(broken);
    }));

  it('is neither lost nor repeated, whichever call of the inbox fails before its sender retries', () =>
    failEveryCall(scenario, async ({ world, message }, broken) => {
      const { inbox } = world.processThrough(broken.through);
      await Promise.race([inbox.accept(message).catch(() => {}), broken.stopped]);
      world.nowMs += 10_000;
      await world.run();
      expect(await world.inbox.accept(message)).toBeOneOf(['accepted', 'repeated']);
    }));

  it('is not lost, whichever call of a redrive fails', () =>
    failEveryCall(scenario, async ({ world, message }, broken) => {
      await world.inbox.accept(message);
      await world.run({ findSource: async () => undefined });
      const letter = await world.deadLetter();
      world.nowMs += DAY_MS;
      const { letters } = world.processThrough(broken.through);
      await Promise.race([letters.redrive(letter).catch(() => {}), broken.stopped]);
      const [still] = await world.dead();
      if (still) expect(await world.letters.redrive(still)).toBe(true);
    }));
});

it('a creation is applied once, at whichever calls two workers are killed one after the other', async () => {
  for (let first = 1, isOver = false; !isOver; first++) {
    for (let second = 1, isDone = false; !isDone; second += 3) {
      const { world, message } = await worldBefore(CREATION);
      await world.inbox.accept(message);
      const killAt = (at: number) => faulty((call) => (call === at ? 'stops after' : undefined), storeFailure);
      isOver = (await world.runFaulty(killAt(first))) < first;
      world.nowMs += LEASE_MS;
      isDone = (await world.runFaulty(killAt(second))) < second;
      await expectEnd(world, CREATION);
    }
  }
});
