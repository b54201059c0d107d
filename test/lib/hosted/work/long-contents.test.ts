import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTranslations } from '../../../../lib/contract/translations.ts';
import { type JsonObject, segment } from '../../../support/projects.ts';
import { callContext, problemOf } from '../../support.ts';
import { WorkWorld } from './world.ts';

/** More segments than one commit can change, if each has a long translation. */
const SLOTS = 60;
const TASKS = ['a', 'b', 'c'];
const CODES = ['de', 'fr'];

const taskOf = (n: number) => TASKS[n % TASKS.length] ?? '';

/** A world with a project whose segments have the custom ids `0`, `1` and so on. */
async function opened() {
  const world = new WorkWorld();
  const id = await world.create({
    targetLanguages: CODES.map((targetLanguageCode) => ({ targetLanguageCode })),
    segments: Array.from({ length: SLOTS }, (_, n) => ({ ...segment({ taskId: taskOf(n) }), customId: `${n}` })),
  });
  return { world, id };
}

/** Writes contents of these lengths, by the index of their segment. */
function write(
  world: WorkWorld,
  id: number,
  languageCode: string,
  contents: ReadonlyMap<number, string>,
  key?: string,
) {
  const entries = Array.from(
    contents,
    ([n, content]): JsonObject => ({ segmentCustomId: `${n}`, languageCode, content, status: 'draft', reopen: true }),
  );
  const call = callContext();
  const keyed = key === undefined ? call : { ...call, idempotency: { key, replayed: () => {} } };
  return world.service.writeTranslations({ id }, checkTranslations(entries), keyed);
}

/** Returns the items that have contents of translations. */
const stored = (world: WorkWorld) => world.storage.all().filter(({ sort }) => /^(translation|block|edit)\//.test(sort));

describe('translations of any length', () => {
  const length = fc.oneof(fc.constantFrom(1, 100, 70_000, 262_100), fc.nat(300_000));
  const change = fc.record({
    language: fc.constantFrom(...CODES),
    lengths: fc.oneof(
      fc.array(fc.tuple(fc.nat(SLOTS - 1), length), { minLength: 1, maxLength: 12 }),
      // Contents of one length in a row of segments, so that they need as many writes as any.
      fc
        .tuple(
          fc.nat(SLOTS - 1),
          length.map((each) => each % 65_000),
        )
        .map(([from, each]) => Array.from({ length: SLOTS - from }, (_, n): [number, number] => [from + n, each])),
    ),
    isFolded: fc.boolean(),
  });

  it('are shown as they were written last, in pages of any size, and leave nothing when they are deleted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(2), async (changes, removed) => {
        const { world, id } = await opened();
        const model = new Map(CODES.map((code) => [code, new Map<number, string>()]));
        for (const [round, { language, lengths, isFolded }] of changes.entries()) {
          const contents = new Map(lengths.map(([n, each]) => [n, `${round}/${n} ${'x'.repeat(each)}`]));
          for (const [n, content] of contents) model.get(language)?.set(n, content);
          await write(world, id, language, contents);
          if (isFolded) await world.work();
        }
        const shownBy = async (indexes: readonly number[]) => {
          const entries = await world.segments(id);
          expect(entries.map(({ source }) => source.content)).toHaveLength(indexes.length);
          const contents = entries.map(({ translations }) => translations.map(({ content }) => content));
          expect(contents).toEqual(indexes.map((n) => CODES.map((code) => model.get(code)?.get(n) ?? null)));
        };
        const all = Array.from({ length: SLOTS }, (_, n) => n);
        await shownBy(all);
        await world.work();
        await shownBy(all);
        await world.service.delete({ id }, { kind: 'task', taskId: TASKS[removed] ?? '' }, callContext());
        await world.work();
        await shownBy(all.filter((n) => n % TASKS.length !== removed));
        await world.service.delete({ id }, { kind: 'project' }, callContext());
        await world.workUntilDone();
        expect(stored(world)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('that compress badly are changed in as many commits as they need', async () => {
    const { world, id } = await opened();
    const long = () => randomBytes(150_000).toString('base64');
    const german = new Map(Array.from({ length: SLOTS }, (_, n) => [n, long()]));
    for (const [n, content] of german) await write(world, id, 'de', new Map([[n, content]]));
    await world.work();
    const changed = new Map(Array.from({ length: SLOTS / 2 }, (_, n) => [2 * n, n % 3 === 0 ? long() : 'short']));
    await write(world, id, 'de', changed);
    await world.work();
    const shown = (await world.segments(id, { languageCode: 'de', status: 'draft' })).map(
      ({ translations: [only] }) => only?.content,
    );
    const expected = Array.from({ length: SLOTS }, (_, n) => changed.get(n) ?? german.get(n));
    expect(shown.every((content, n) => content === expected[n])).toBe(true);
    expect(shown).toHaveLength(SLOTS);
    expect(world.failures).toEqual([]);
  });

  it('are replaced by short ones in one request, which are stored together again', async () => {
    const { world, id } = await opened();
    for (let n = 0; n < SLOTS; n++) await write(world, id, 'de', new Map([[n, 'x'.repeat(262_100)]]));
    await world.work();
    expect(stored(world).filter(({ sort }) => sort.startsWith('block/'))).toHaveLength(SLOTS);
    await write(world, id, 'de', new Map(Array.from({ length: SLOTS }, (_, n) => [n, `short ${n}`])));
    await world.work();
    expect((await world.contents(id)).map(([german]) => german)).toEqual(
      Array.from({ length: SLOTS }, (_, n) => `short ${n}`),
    );
    expect(stored(world).filter(({ sort }) => sort.startsWith('block/')).length).toBeLessThan(5);
  });

  it('are joined by those of an engine, however many commits that needs', async () => {
    const world = new WorkWorld();
    const id = await world.create({
      targetLanguages: [{ targetLanguageCode: 'de', serviceAutomaticTranslation: true }],
      segments: Array.from({ length: SLOTS }, (_, n) => ({ ...segment({ content: `${n}` }), customId: `${n}` })),
    });
    const long = 'x'.repeat(262_100);
    for (let n = 0; n < SLOTS; n += 2) await write(world, id, 'de', new Map([[n, long]]));
    await world.workUntilDone();
    const contents = (await world.contents(id)).map(([content]) => (content === long ? 'long' : content));
    expect(contents).toEqual(Array.from({ length: SLOTS }, (_, n) => (n % 2 === 0 ? 'long' : `de: ${n}`)));
    expect(await world.languages(id)).toMatchObject([{ progress: 50, automaticTranslation: { state: 'done' } }]);
    expect(world.failures).toEqual([]);
  });

  it('come in pages that end before they are too long, and one by one if need be', async () => {
    const { world, id } = await opened();
    const content = 'x'.repeat(1_000_000);
    for (const code of CODES) {
      await write(world, id, code, new Map([0, 1, 2].map((n) => [n, content])));
      await world.work();
    }
    const page = (query: object) =>
      world.service.segments({ id }, { maxBytes: 4_700_000, isGzip: true, limit: 10, ...query }, callContext());
    expect(await page({})).toMatchObject({ count: 2, next: { position: 2 } });
    expect(await page({ languageCode: 'de' })).toMatchObject({ count: 10 });
    expect(await page({ languageCode: 'de', status: 'draft' })).toMatchObject({ count: 3 });
    expect(await page({ maxBytes: 1 })).toMatchObject({ count: 1, next: { position: 1 } });
  });

  it('of one segment that are too many for any page are refused, with what helps', async () => {
    const world = new WorkWorld();
    const codes = ['de', 'fr', 'es', 'it', 'pl', 'nl', 'pt-PT', 'sv', 'da'];
    const id = await world.create({
      targetLanguages: codes.map((targetLanguageCode) => ({ targetLanguageCode })),
      segments: [{ ...segment(), customId: '0' }],
    });
    for (const code of codes) await write(world, id, code, new Map([[0, 'x'.repeat(1_000_000)]]));
    await world.work();
    const reads: unknown[] = [];
    const read = world.storage.readWithPayload.bind(world.storage);
    world.storage.readWithPayload = (key) => {
      if (key.sort.startsWith('block/')) reads.push(key);
      return read(key);
    };
    const problem = await problemOf(() => world.segments(id, { limit: 1 }));
    expect(problem).toMatchObject({
      name: 'not-acceptable',
      occurrence: { detail: expect.stringContaining('languageCode') },
    });
    expect(reads).toEqual([]);
    expect(await world.segments(id, { limit: 1, languageCode: 'da' })).toHaveLength(1);
    for (const code of codes) await write(world, id, code, new Map([[0, 'short']]));
    expect(await world.segments(id, { limit: 1 })).toHaveLength(1);
  });

  it('do not make the answer to a repeated request longer than an answer may be', async () => {
    const { world, id } = await opened();
    await write(world, id, 'de', new Map(Array.from({ length: 20 }, (_, n) => [n, 'short'])), 'key');
    await world.work();
    const again = () => write(world, id, 'de', new Map(Array.from({ length: 20 }, (_, n) => [n, 'short'])), 'key');
    expect(await again()).toHaveLength(20);
    for (let n = 0; n < 20; n++) await write(world, id, 'de', new Map([[n, 'x'.repeat(1_000_000)]]));
    await world.work();
    expect(await problemOf(again)).toMatchObject({ name: 'outcome-unknown' });
  });
});
