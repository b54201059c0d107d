import { describe, expect, it } from 'vitest';
import { charactersToday } from '../../../../lib/hosted/work/daily-characters.ts';
import { characterCount, EngineFailure, type EngineFailureCode } from '../../../../lib/service/translation-engine.ts';
import { storeFailure } from '../../../faults/faulty.ts';
import { type FakeEngine, fakeEngine, mappingEngine } from '../translation/world.ts';
import { beforeCommit, through, translated, WorkWorld } from './world.ts';

const GERMAN = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };
const TODAY = '2026-11-20';
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);
const upper = (text: string) => text.toUpperCase();

/** Makes a world in which the engine may translate this many characters a day. */
function limited(charactersPerDay: number | undefined, engine: FakeEngine): WorkWorld {
  const world = new WorkWorld();
  world.charactersPerDay = charactersPerDay;
  world.translate = through(engine);
  return world;
}

const create = (world: WorkWorld, ...contents: readonly string[]) =>
  world.create({ targetLanguages: [GERMAN], segments: contents.map((content) => ({ content })) });

const received = (engine: FakeEngine) => characterCount(engine.received.flatMap(({ texts }) => texts));

describe('the characters of a day', () => {
  it('are reserved before a call, and what a run has not used is given back', async () => {
    const reserved: unknown[] = [];
    const engine = fakeEngine(({ texts }) => {
      reserved.push(world.reserved()[TODAY]);
      return texts.map(translated);
    });
    const world = limited(8_000, engine);
    await create(world, 'four', 'characters');
    await world.work();
    expect(reserved).toEqual([1_000]);
    expect(world.reserved()).toEqual({ [TODAY]: 'fourcharacters'.length });
  });

  it('are never exceeded: a call that does not fit is not made, and waits until the next day', async () => {
    const engine = mappingEngine(upper, { limits: { texts: 1 } });
    const world = limited(10, engine);
    const id = await create(world, 'sevenxx', 'fourr', 'six');
    await world.work();
    expect(received(engine)).toBe(7);
    expect(await world.contents(id)).toEqual([['SEVENXX'], [null], [null]]);
    expect(await world.languages(id)).toMatchObject([
      { automaticTranslation: { state: 'queued', problem: expect.stringContaining('tomorrow') } },
    ]);
    expect(world.jobs()).toEqual([MIDNIGHT_MS]);
    world.nowMs = MIDNIGHT_MS;
    await world.work();
    expect(await world.contents(id)).toEqual([['SEVENXX'], ['FOURR'], ['SIX']]);
    expect(world.reserved()).toEqual({ [TODAY]: 7, '2026-11-21': 8 });
  });

  it.each([
    [10, undefined],
    [undefined, 10],
    [10, 7_000],
    [7_000, 10],
  ])('are limited by the lower limit of the operator (%s) and of the company (%s)', async (ofAll, own) => {
    const engine = mappingEngine(upper, { limits: { texts: 1 } });
    const world = limited(ofAll, engine);
    world.ownCharactersPerDay = own;
    const id = await create(world, 'sevenxx', 'fourr');
    await world.work();
    expect(received(engine)).toBe(7);
    expect(await world.languages(id)).toMatchObject([
      { automaticTranslation: { state: 'queued', problem: expect.stringContaining('quota-exceeded') } },
    ]);
    expect(await charactersToday(world.storage, world.companyId, world.nowMs)).toBe(7);
    world.nowMs = MIDNIGHT_MS;
    world.ownCharactersPerDay = 5;
    await world.work();
    expect(await world.contents(id)).toEqual([['SEVENXX'], ['FOURR']]);
  });

  it('are shared by all projects of a company, whose jobs run at once', async () => {
    const engine = mappingEngine(upper, { limits: { texts: 1 } });
    const world = limited(100, engine);
    for (let n = 0; n < 6; n++) await create(world, ...Array.from({ length: 10 }, (_, index) => `text ${n}${index}`));
    await world.work();
    expect(received(engine)).toBeGreaterThan(90);
    expect(world.reserved()).toEqual({ [TODAY]: received(engine) });
    expect(received(engine)).toBeLessThanOrEqual(100);
  });

  it('are used up: a call that does not fit is divided', async () => {
    const engine = mappingEngine(upper);
    const world = limited(8, engine);
    const id = await create(world, 'abcd', 'efgh', 'ijkl');
    await world.work();
    expect(await world.contents(id)).toEqual([['ABCD'], ['EFGH'], [null]]);
    await world.workUntilDone();
    expect(await world.contents(id)).toEqual([['ABCD'], ['EFGH'], ['IJKL']]);
    expect(received(engine)).toBe(12);
  });

  it('have no room for a text that is longer: it waits for a higher limit, and the others are translated', async () => {
    const engine = mappingEngine(upper);
    const world = limited(16, engine);
    const french = { targetLanguageCode: 'fr', serviceAutomaticTranslation: true };
    const contents = ['Of two. Sentences.', 'abcd', 'efgh'];
    const segments = contents.map((content) => ({ content }));
    const id = await world.create({ targetLanguages: [GERMAN, french], segments });
    await world.work();
    const waiting = [
      [null, null],
      ['ABCD', 'ABCD'],
      ['EFGH', 'EFGH'],
    ];
    const problem = expect.stringMatching(/quota-exceeded.*limit above the longest text/);
    expect(await world.contents(id)).toEqual(waiting);
    expect((await world.segments(id))[0]?.translations).toMatchObject([
      { status: 'untranslated' },
      { status: 'untranslated' },
    ]);
    const automaticTranslation = { state: 'queued', problem };
    expect(await world.languages(id)).toMatchObject([{ automaticTranslation }, { automaticTranslation }]);
    expect(world.jobs()).toEqual([MIDNIGHT_MS]);
    world.nowMs = MIDNIGHT_MS;
    await world.work();
    expect(await world.contents(id)).toEqual(waiting);
    expect(received(engine)).toBe(16);
    world.charactersPerDay = 100;
    await world.workUntilDone();
    expect((await world.contents(id))[0]).toEqual(['OF TWO. SENTENCES.', 'OF TWO. SENTENCES.']);
    expect(await world.languages(id)).toMatchObject([
      { automaticTranslation: { state: 'done', problem: null } },
      { automaticTranslation: { state: 'done', problem: null } },
    ]);
  });

  it('allow no call if there are none, and every language waits', async () => {
    const engine = mappingEngine(upper);
    const world = limited(0, engine);
    const id = await create(world, 'abcd');
    await world.work();
    expect(engine.received).toEqual([]);
    expect(world.jobs()).toEqual([MIDNIGHT_MS]);
    expect(await world.languages(id)).toMatchObject([{ automaticTranslation: { state: 'queued' } }]);
  });

  it('are not counted in the store while there is no limit', async () => {
    const world = limited(undefined, mappingEngine(upper));
    await create(world, 'text');
    await world.work();
    expect(world.reserved()).toEqual({});
  });

  it.each<[EngineFailureCode, number]>([
    ['rejected', 4],
    ['failed', 4],
    ['invalid-answer', 4],
    ['unreachable', 4],
    ['timed-out', 4],
    ['busy', 0],
    ['unauthorized', 0],
    ['quota-exceeded', 0],
    ['unsupported-pair', 0],
  ])('count a call that ends with %s as %i of 4 characters', async (code, count) => {
    const world = limited(
      1_000,
      fakeEngine(() => Promise.reject(new EngineFailure(code))),
    );
    await create(world, 'text');
    await world.work();
    expect(world.reserved()[TODAY]).toBe(count);
  });

  it('stay counted if the store fails when they are given back, and the run has ended well', async () => {
    const world = limited(8_000, mappingEngine(upper));
    const id = await create(world, 'text');
    let commits = 0;
    beforeCommit(world, ({ writes }) => {
      if (writes.some(({ key }) => key.sort.startsWith('characters/')) && ++commits === 2) throw storeFailure(true);
    });
    await world.work();
    expect(commits).toBe(2);
    expect(world.failures).toEqual([]);
    expect(world.jobs()).toEqual([]);
    expect(await world.contents(id)).toEqual([['TEXT']]);
    expect(world.reserved()).toEqual({ [TODAY]: 1_000 });
  });

  it('that another run holds and gives back are used on the same day', async () => {
    const engine = mappingEngine(upper);
    const world = limited(1_000, engine);
    const large = 'x'.repeat(980);
    const first = await create(world, 'small');
    let second = 0;
    // While the first run holds an eighth of the day, the second one needs more than is left.
    world.translate = async (request) => {
      world.translate = through(engine);
      await request.budget?.reserve('small'.length);
      second = await create(world, large);
      await world.work();
      expect(await world.contents(second)).toEqual([[null]]);
      return { results: request.texts.map(translated), usedCharacters: 'small'.length };
    };
    await world.work();
    await world.workUntilDone();
    expect(world.nowMs).toBeLessThan(MIDNIGHT_MS);
    expect(await world.contents(first)).toEqual([['small']]);
    expect(await world.contents(second)).toEqual([[large.toUpperCase()]]);
    expect(world.reserved()).toEqual({ [TODAY]: 985 });
  });

  it('stay reserved if the process dies, so that no more is sent than the limit', async () => {
    let died = Promise.withResolvers<void>();
    const engine = fakeEngine(() => {
      died.resolve();
      return new Promise(() => {});
    });
    const world = limited(10, engine);
    await create(world, 'four');
    for (const times of [1, 2, 2, 2]) {
      died = Promise.withResolvers<void>();
      await Promise.race([world.work(), died.promise]);
      expect(engine.received).toHaveLength(times);
      expect(world.reserved()).toEqual({ [TODAY]: 4 * times });
      world.nowMs += 1_000_000;
    }
  });
});
