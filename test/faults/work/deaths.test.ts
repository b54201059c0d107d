import { describe, expect, it } from 'vitest';
import { characterCount, type TranslationEngine } from '../../../lib/service/translation-engine.ts';
import { fakeEngine } from '../../lib/hosted/translation/world.ts';
import { through as throughEngine, translated, WorkWorld } from '../../lib/hosted/work/world.ts';
import { type JsonObject, member } from '../../support/projects.ts';
import { faulty, storeFailure, throughout, type Way } from '../faulty.ts';

/** The most starts that reach the engine without a stored result: eight in one language, and one in the next. */
const MAX_STARTS = 8 + 1;
/** How many calls of the store a start needs to give the translation up. */
const GIVING_UP = 9;
/** More starts than any job may have. */
const STARTS = 60;
/** Longer than the lease of a dead worker and the longest pause, in milliseconds. */
const PAUSE_MS = 700_000;
/** The time of a start, in milliseconds. */
const RUN_MS = 60_000;
const PER_DAY = 30_000;
/** The length of a content of which two fill a chunk. */
const LONG = 40_000;

/** A project whose job dies at one call of each start, and what its engine received. */
interface Dying {
  readonly world: WorkWorld;
  /** How many starts called the engine since the last result was stored. */
  readonly startsInVain: number;
  readonly calls: number;
}

/**
 * Starts a job again and again. Its process dies at the call with this number of each start: one of the store or of the
 * engine. Checks after each start that no character was received before it was reserved.
 */
async function dieAt(call: number, way: Way, charactersPerDay: number | undefined): Promise<Dying> {
  const world = new WorkWorld();
  world.charactersPerDay = charactersPerDay;
  const projectId = await world.create({
    targetLanguages: LANGUAGES,
    segments: CONTENTS.map((content) => ({ content })),
  });
  let [received, startsInVain, most, calls] = [0, 0, 0, 0];
  for (let start = 0; start < STARTS && world.jobs().length > 0; start++) {
    const faults = faulty((n) => (n === call ? way : undefined), storeFailure);
    let isSent = false;
    const engine: TranslationEngine = fakeEngine(
      ({ texts }) =>
        faults.through(async () => {
          isSent = true;
          received += characterCount(texts);
          return texts.map(translated);
        }),
      { limits: { texts: 1, concurrentCalls: 2 } },
    );
    const before = storedResults(world);
    world.translate = throughEngine(engine);
    world.workerStorage = throughout(world.storage, faults.through);
    const [atMs = 0] = world.jobs();
    const work = world.worker().workOn([{ companyId: 'acme', projectId, atMs }], { remainingMs: () => RUN_MS });
    await Promise.race([work, faults.stopped]);
    calls = Math.max(calls, faults.calls());
    startsInVain = storedResults(world) > before ? 0 : startsInVain + Number(isSent);
    most = Math.max(most, startsInVain);
    if (charactersPerDay !== undefined) {
      const reserved = Object.values(world.reserved()).map(Number);
      expect(reserved.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(received);
      expect(Math.max(0, ...reserved)).toBeLessThanOrEqual(charactersPerDay);
    }
    world.nowMs = Math.max(world.nowMs + PAUSE_MS, ...world.jobs());
  }
  return { world, startsInVain: most, calls };
}

const storedResults = ({ storage: memory }: WorkWorld) =>
  memory
    .all()
    .filter(({ sort }) => sort.startsWith('translation/'))
    .reduce((sum, { version }) => sum + version, 0);

const LANGUAGES: JsonObject[] = [
  { targetLanguageCode: 'de', serviceAutomaticTranslation: true },
  {
    targetLanguageCode: 'fr',
    serviceAutomaticTranslation: true,
    serviceTranslation: true,
    managedProject: true,
    team: [member()],
  },
];
const CONTENTS = ['a', 'b', 'c'].flatMap((letter) => [letter, `${letter} ${'x'.repeat(LONG)}`]);

describe.each([
  ['characters without a limit', undefined],
  ['limited characters', PER_DAY * 10],
])('a worker that dies at the same call in each start, with %s', (_, perDay) => {
  it('is bounded at each call of the store and the engine', async () => {
    const { calls, world } = await dieAt(0, 'stops after', perDay);
    expect(world.jobs()).toEqual([]);
    for (let call = 1; call <= calls; call++) {
      for (const way of ['stops before', 'stops after'] as const) {
        const { world, startsInVain } = await dieAt(call, way, perDay);
        const label = `call ${call} ${way}`;
        expect(startsInVain, label).toBeLessThanOrEqual(MAX_STARTS);
        if (call > GIVING_UP) expect(world.jobs(), label).toEqual([]);
      }
    }
  });
});
