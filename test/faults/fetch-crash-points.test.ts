import { describe, expect, it } from 'vitest';
import { chunksOf, fetchWorld, LARGE, PAGE } from '../lib/webhooks/fetch-world.ts';
import { creation } from '../lib/webhooks/world.ts';
import { everyWay, type Faulty, faulty, storeFailure, twoWaysAt, type Way } from './faulty.ts';

type FetchWorld = Awaited<ReturnType<typeof fetchWorld>>;

/**
 * Runs a message for every call and the ways in which the call can fail. At the end it is done, and nothing of its entry
 * is left.
 * @param attempt runs until the call that fails
 */
async function failEveryCall(
  entry: unknown,
  waysAt: (call: number) => readonly Way[],
  attempt: (parts: FetchWorld, broken: Faulty) => Promise<unknown>,
): Promise<void> {
  for (let failing = 1, isOver = false; !isOver; failing++) {
    for (const way of waysAt(failing)) {
      const parts = await fetchWorld(entry);
      const { world, openFetch } = parts;
      const broken = faulty((call) => (call === failing ? way : undefined), storeFailure);
      await attempt(parts, broken);
      isOver = broken.calls() < failing;
      await world.settle({ openFetch });
      for (const letter of await world.dead()) await world.letters.drop(letter);
      expect([await world.openCount(), await world.dead(), chunksOf(world)], `${way} ${failing}`).toEqual([0, [], []]);
      expect(await world.made()).toEqual(entry === LARGE ? [] : ['page']);
    }
  }
}

const work = ({ world, openFetch }: FetchWorld, broken: Faulty) => world.runFaulty(broken, { openFetch });

describe('whichever call of a worker fails, nothing of an entry is left', () => {
  it('of a small one, whose command runs once', () => failEveryCall(PAGE, everyWay, work));
  it('of a large one', () => failEveryCall(LARGE, () => ['stops after'], work));
});

it('whichever call of a redrive fails, a command that has run is not lost, and nothing of the entry is left', () =>
  failEveryCall([creation({ customId: 'page' }), { create: {} }], everyWay, async ({ world, run }, broken) => {
    await run();
    const { letters } = world.processThrough(broken.through);
    world.nowMs += 1_000;
    await Promise.race([letters.redrive(await world.deadLetter()).catch(() => {}), broken.stopped]);
  }));

it('whichever call of a drop fails, another drop erases the rest of a large entry', () =>
  failEveryCall({ put: LARGE.text }, twoWaysAt, async ({ world, run }, broken) => {
    await world.make(PAGE.create);
    await run();
    const { letters } = world.processThrough(broken.through);
    await Promise.race([letters.drop(await world.deadLetter()).catch(() => {}), broken.stopped]);
  }));
