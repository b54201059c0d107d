import { describe, expect, it } from 'vitest';
import { storeUnavailable } from '../../../../lib/contract/failures.ts';
import { storeFailure } from '../../../faults/faulty.ts';
import { segments } from '../../../support/projects.ts';
import { beforeCommit, prefixing, WorkWorld } from './world.ts';

const GERMAN = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };
const FRENCH = { targetLanguageCode: 'fr', serviceAutomaticTranslation: true };
const HOUR_MS = 3_600_000;

/** Runs the worker every second for some time. */
async function workFor(world: WorkWorld, ms: number): Promise<void> {
  for (const endMs = world.nowMs + ms; world.nowMs < endMs && world.jobs().length > 0; world.nowMs += 1_000) {
    await world.work();
  }
}

/** Makes the worker's store refuse payloads. */
function refusePayloads(world: WorkWorld): void {
  beforeCommit(world, ({ writes }) => {
    if (writes.some((write) => 'bytes' in write && write.bytes)) throw storeUnavailable(new Error('planted'));
  });
}

describe('a run that ends with an error', () => {
  it.each([
    ['the store refuses what was translated', refusePayloads],
    [
      'the texts cannot be read',
      (world: WorkWorld) => {
        world.translate = () => Promise.reject(new RangeError('planted'));
      },
    ],
  ])('is no failure of the translation: %s', async (_, breakIn) => {
    const world = new WorkWorld();
    const id = await world.create({ targetLanguages: [GERMAN, FRENCH], segments: segments(1) });
    breakIn(world);
    await workFor(world, 3 * HOUR_MS);
    expect(world.failed).toEqual([]);
    expect(world.failures.length).toBeGreaterThan(8);
    // It is repeated with pauses that grow up to ten minutes.
    expect(world.failures.length).toBeLessThan(8 + 3 * 6 + 3);
    world.workerStorage = world.storage;
    world.translate = prefixing;
    await workFor(world, 700_000);
    expect(await world.contents(id)).toEqual([['de: 1', 'fr: 1']]);
    expect(world.jobs()).toEqual([]);
  });

  it('is repeated soon if the one before it stored something', async () => {
    const world = new WorkWorld();
    let calls = 0;
    world.translate = async (request) => {
      world.nowMs += 100;
      if (++calls < 8 || calls % 2 === 1) throw storeFailure(true);
      return prefixing(request);
    };
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(500 * 10) });
    await workFor(world, 300_000);
    const startedAtMs = world.nowMs;
    await workFor(world, HOUR_MS);
    expect(world.nowMs - startedAtMs).toBeLessThan(60_000);
    expect(await world.languages(id)).toMatchObject([{ progress: 100, automaticTranslation: { state: 'done' } }]);
  });
});
