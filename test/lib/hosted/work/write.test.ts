import { describe, expect, it } from 'vitest';
import { lazy } from '../../../../lib/contract/lazy.ts';
import { checkTranslations } from '../../../../lib/contract/translations.ts';
import type { Storage } from '../../../../lib/storage/port.ts';
import { straight, throughout } from '../../../faults/faulty.ts';
import { type JsonObject, member, segment, segments } from '../../../support/projects.ts';
import { callContext, problemOf } from '../../support.ts';
import { prefixing, WorkWorld } from './world.ts';

const GERMAN = { targetLanguageCode: 'de', serviceTranslation: true, team: [member()] };
const AUTOMATIC = { targetLanguageCode: 'fr', serviceAutomaticTranslation: true };

/** Writes translations as a request does. */
function write(world: WorkWorld, id: number, entries: JsonObject[]) {
  return world.service.writeTranslations({ id }, checkTranslations(entries), callContext());
}

/** Creates a project whose segments have the custom ids `s0`, `s1` and so on. Returns its id and the segments' ids. */
async function created(world: WorkWorld, count: number, targetLanguages: JsonObject[] = [GERMAN]) {
  const list = segments(count).map((each, n) => ({ ...each, customId: `s${n}` }));
  const id = await world.create({ targetLanguages, segments: list });
  return { id, ids: (await world.segments(id)).map(({ source }) => source.id) };
}

describe('writing translations', () => {
  it('shows them at once, and counts them', async () => {
    const world = new WorkWorld();
    const { id, ids } = await created(world, 3);
    const written = await write(world, id, [
      { segmentId: ids[0] ?? 0, languageCode: 'de', content: 'eins', status: 'translated' },
      { segmentCustomId: 's2', languageCode: 'de', content: 'drei', status: 'draft' },
    ]);
    expect(written).toMatchObject([
      {
        segmentId: ids[0],
        segmentCustomId: 's0',
        languageCode: 'de',
        content: 'eins',
        status: 'translated',
        version: 1,
      },
      { segmentId: ids[2], segmentCustomId: 's2', content: 'drei', status: 'draft', version: 1 },
    ]);
    for (const folded of [false, true]) {
      if (folded) await world.work();
      const shown = (await world.segments(id)).map(({ translations: [only] }) => only);
      expect(shown).toMatchObject([
        { id: written[0]?.id, content: 'eins', status: 'translated', version: 1 },
        { id: null, content: null, status: 'untranslated', version: 0 },
        { id: written[1]?.id, content: 'drei', status: 'draft', version: 1 },
      ]);
      expect(await world.languages(id)).toMatchObject([{ progress: 33 }]);
    }
    expect(world.storage.all().filter(({ sort }) => sort.startsWith('edit/'))).toEqual([]);
  });

  it('of a task that is deleted meanwhile is refused, although half of the project was read before', async () => {
    const world = new WorkWorld();
    const list = ['a', 'b'].map((taskId) => ({ ...segment({ taskId }), customId: taskId }));
    const id = await world.create({ targetLanguages: [GERMAN], segments: list });
    const storage: Storage = throughout(world.storage, straight);
    const remove = lazy(() => world.service.delete({ id }, { kind: 'task', taskId: 'a' }, callContext()));
    // The first attempt is refused. The second reads the project from before the deletion, and its work from after it.
    storage.commit = async (batch) => {
      await world.service.changeLanguage({ id }, 'de', { state: 'InPreparation' }, callContext());
      storage.commit = world.storage.commit.bind(world.storage);
      storage.read = async (key) => {
        const before = await world.storage.read(key);
        await remove();
        return before?.version === 1 && key.sort.startsWith('project/') ? before : world.storage.read(key);
      };
      return world.storage.commit(batch);
    };
    const late = world.hosted({ storage });
    const entry = { segmentCustomId: 'a', languageCode: 'de', content: 'x', status: 'translated' };
    const work = () => late.writeTranslations({ id }, checkTranslations([entry]), callContext());
    const { occurrence } = await problemOf(work);
    expect(occurrence.errors).toMatchObject([{ pointer: '/0/segmentCustomId', code: 'unknown-segment' }]);
  });

  it('of a thousand segments in several languages is one commit', async () => {
    const world = new WorkWorld();
    const languages = ['de', 'fr', 'ja', 'es'].map((targetLanguageCode) => ({ targetLanguageCode }));
    const { id, ids } = await created(world, 10_000, languages);
    const entries = Array.from({ length: 1_000 }, (_, n) => ({
      segmentId: ids[n * 10] ?? 0,
      languageCode: languages[n % 4]?.targetLanguageCode ?? '',
      content: `text ${n}`,
      status: 'translated',
    }));
    await write(world, id, entries);
    await world.workUntilDone();
    const contents = await world.contents(id);
    expect(contents.flat().filter((content) => content !== null)).toHaveLength(1_000);
    for (const n of [0, 1, 2, 3, 999]) expect(contents[n * 10]?.[n % 4]).toBe(`text ${n}`);
  });

  it('lowers a status only with reopen, and completes the language again', async () => {
    const world = new WorkWorld();
    const { id, ids } = await created(world, 1);
    const entry = { segmentId: ids[0] ?? 0, languageCode: 'de', content: 'a', status: 'translated' };
    await write(world, id, [entry]);
    expect(await world.languages(id)).toMatchObject([{ progress: 100 }]);
    const problem = await problemOf(() => write(world, id, [{ ...entry, status: 'draft' }]));
    expect(problem.occurrence.errors).toMatchObject([{ pointer: '/0/status', code: 'status-lower' }]);
    await write(world, id, [{ ...entry, status: 'draft', reopen: true }]);
    expect(await world.languages(id)).toMatchObject([{ progress: 0 }]);
    await write(world, id, [entry]);
    expect(await world.languages(id)).toMatchObject([{ progress: 100 }]);
    expect(world.events(id).filter(({ type }) => type === 'language.completed')).toHaveLength(2);
  });

  it('is never overwritten by an engine', async () => {
    const world = new WorkWorld();
    const { id, ids } = await created(world, 3, [AUTOMATIC]);
    world.translate = async (request) => {
      await write(world, id, [{ segmentId: ids[1] ?? 0, languageCode: 'fr', content: 'deux', status: 'draft' }]);
      return prefixing(request);
    };
    await world.workUntilDone();
    expect(await world.contents(id)).toEqual([['fr: 1'], ['deux'], ['fr: 3']]);
    expect(await world.languages(id)).toMatchObject([{ progress: 66, automaticTranslation: { state: 'done' } }]);
  });

  it('keeps up although no worker folds the edits', async () => {
    const world = new WorkWorld();
    const { id, ids } = await created(world, 3);
    for (let n = 0; n < 100; n++) {
      await write(world, id, [{ segmentId: ids[n % 3] ?? 0, languageCode: 'de', content: `${n}`, status: 'draft' }]);
    }
    expect(await world.contents(id)).toEqual([['99'], ['97'], ['98']]);
    expect(world.storage.all().filter(({ sort }) => sort.startsWith('edit/')).length).toBeLessThanOrEqual(30);
  });

  it('to segments of a deleted task leaves nothing', async () => {
    const world = new WorkWorld();
    const list = segments(4).map((each, n) => ({ ...each, taskId: n % 2 === 0 ? 'gone' : 'kept' }));
    const id = await world.create({ targetLanguages: [GERMAN], segments: list });
    const ids = (await world.segments(id)).map(({ source }) => source.id);
    await write(
      world,
      id,
      ids.map((segmentId) => ({ segmentId, languageCode: 'de', content: 'secret', status: 'translated' })),
    );
    await world.service.delete({ id }, { kind: 'task', taskId: 'gone' }, callContext());
    expect(await world.contents(id)).toEqual([['secret'], ['secret']]);
    expect(await world.languages(id)).toMatchObject([{ progress: 100 }]);
    await world.workUntilDone();
    expect(await world.contents(id)).toEqual([['secret'], ['secret']]);
    const [chunk] = world.storage.all().filter(({ sort }) => sort.startsWith('translation/'));
    expect(chunk?.data).toMatchObject({ statuses: '0404' });
  });
});

describe('changing a language', () => {
  it('starts and stops automatic translation', async () => {
    const world = new WorkWorld();
    const { id } = await created(world, 2, [{ ...AUTOMATIC, state: 'InPreparation' }]);
    await world.work();
    expect(await world.contents(id)).toEqual([[null], [null]]);
    expect(await world.service.changeLanguage({ id }, 'FR', { state: 'InProgress' }, callContext())).toMatchObject({
      targetLanguageCode: 'fr',
      state: 'InProgress',
      progress: 0,
    });
    await world.workUntilDone();
    expect(await world.contents(id)).toEqual([['fr: 1'], ['fr: 2']]);
    expect(await world.service.changeLanguage({ id }, 'fr', { state: 'InPreparation' }, callContext())).toMatchObject({
      state: 'InPreparation',
      progress: 100,
    });
  });
});
