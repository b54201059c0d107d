import { expect, it } from 'vitest';
import { wakeJobs } from '../../../../lib/hosted/work/wake-jobs.ts';
import { type FakeEngine, mappingEngine } from '../translation/world.ts';
import { through, WorkWorld } from './world.ts';

const GERMAN = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
const upper = (text: string) => text.toUpperCase();

/** Makes a world in which the engine may translate this many characters a day for the company. */
function limited(characters: number, engine: FakeEngine): WorkWorld {
  const world = new WorkWorld();
  world.ownCharactersPerDay = characters;
  world.translate = through(engine);
  return world;
}

const create = (world: WorkWorld, ...contents: readonly string[]) =>
  world.create({ targetLanguages: [GERMAN], segments: contents.map((content) => ({ content })) });

it.each([[100], [undefined]])(
  'a limit of characters that becomes %s lets the languages go on that wait',
  async (limit) => {
    const world = limited(10, mappingEngine(upper, { limits: { texts: 1 } }));
    const ids: number[] = [];
    for (const contents of [['sevenxx', 'fourr'], ['sixsix']]) {
      ids.push(await create(world, ...contents));
      await world.work();
    }
    world.ownCharactersPerDay = limit;
    await world.work();
    expect(world.jobs()).toEqual([MIDNIGHT_MS, MIDNIGHT_MS]);
    await wakeJobs(world.storage, 'other', world.nowMs);
    expect(world.jobs()).toEqual([MIDNIGHT_MS, MIDNIGHT_MS]);
    await wakeJobs(world.storage, world.companyId, world.nowMs);
    await world.work();
    expect(await Promise.all(ids.map((id) => world.contents(id)))).toEqual([[['SEVENXX'], ['FOURR']], [['SIXSIX']]]);
    expect(world.jobs()).toEqual([]);
  },
);

it('a higher limit holds for a run that began before it, once the run has ended', async () => {
  const engine = mappingEngine(upper);
  const world = limited(0, engine);
  const id = await create(world, 'text');
  world.translate = async (request) => {
    world.translate = through(engine);
    world.ownCharactersPerDay = 100;
    await wakeJobs(world.storage, world.companyId, world.nowMs);
    return world.translate(request);
  };
  await world.work();
  await world.work();
  expect(await world.contents(id)).toEqual([['TEXT']]);
  expect(world.nowMs).toBeLessThan(MIDNIGHT_MS);
});
