import { describe, expect, it } from 'vitest';
import { readLease } from '../../../../lib/hosted/work/jobs.ts';
import { EngineFailure } from '../../../../lib/service/translation-engine.ts';
import { segments } from '../../../support/projects.ts';
import { callContext, expectProblem } from '../../support.ts';
import { prefixing, translated, WorkWorld } from './world.ts';

const GERMAN = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };
const PENDING = { kind: 'pending' } as const;
const FRENCH = { targetLanguageCode: 'fr', serviceAutomaticTranslation: true };

describe('automatic translation', () => {
  it('translates every segment after the creation was answered', async () => {
    const world = new WorkWorld();
    const id = await world.create({ targetLanguages: [GERMAN, { targetLanguageCode: 'ja' }], segments: segments(3) });
    expect(await world.languages(id)).toMatchObject([
      { progress: 0, automaticTranslation: { state: 'queued', problem: null } },
      { progress: 0 },
    ]);
    await world.work();
    expect(await world.contents(id)).toEqual([
      ['de: 1', null],
      ['de: 2', null],
      ['de: 3', null],
    ]);
    expect(await world.languages(id)).toMatchObject([
      { progress: 100, state: 'InProgress', automaticTranslation: { state: 'done', problem: null } },
      { progress: 0 },
    ]);
    expect(await world.progress(id)).toMatchObject({
      total: 50,
      languages: [
        { languageCode: 'de', progress: 100 },
        { languageCode: 'ja', progress: 0 },
      ],
    });
    const [{ translations } = { translations: [] }] = await world.segments(id);
    expect(translations).toMatchObject([
      { status: 'automatic', version: 1, id: expect.any(Number) },
      { status: 'untranslated', version: 0, id: null, content: null },
    ]);
    expect(world.jobs()).toEqual([]);
  });

  it('begins although a lease on the project ends days ahead, because the clock was wrong', async () => {
    const world = new WorkWorld();
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(1) });
    const { key, data } = await readLease(world.storage, { companyId: 'acme', projectId: id, atMs: 0 });
    const endsAtMs = world.nowMs + 2 * 86_400_000;
    await world.storage.commit({ writes: [{ kind: 'insert', key, data: { ...data, endsAtMs } }] });
    await world.work();
    expect(await world.contents(id)).toEqual([['de: 1']]);
  });

  it('translates large projects chunk by chunk, each text once', async () => {
    const world = new WorkWorld();
    const texts: string[] = [];
    world.translate = async (request) => {
      texts.push(...request.texts);
      return prefixing(request);
    };
    const id = await world.create({ targetLanguages: [GERMAN, FRENCH], segments: segments(1_234) });
    await world.work();
    expect(texts).toHaveLength(2 * 1_234);
    expect(new Set(texts).size).toBe(1_234);
    const contents = await world.contents(id);
    expect(contents.map(([german]) => german)).toEqual(Array.from({ length: 1_234 }, (_, n) => `de: ${n + 1}`));
    expect(contents.map(([, french]) => french)).toEqual(Array.from({ length: 1_234 }, (_, n) => `fr: ${n + 1}`));
    expect(
      new Set((await world.segments(id)).flatMap(({ translations }) => translations.map((each) => each.id))).size,
    ).toBe(2 * 1_234);
  });

  it('keeps the reason why a segment has no translation, and does not count it', async () => {
    const world = new WorkWorld();
    world.translate = async ({ texts }) => ({
      results: texts.map((text, n) =>
        n === 1 ? { kind: 'failed', reason: 'markup-lost', lost: '<b id="é">' } : translated(text),
      ),
      usedCharacters: 1,
    });
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(3) });
    await world.work();
    expect((await world.segments(id)).map(({ translations: [only] }) => only)).toMatchObject([
      { status: 'automatic' },
      { status: 'untranslated', content: null, id: null, problem: 'markup-lost', lost: '<b id="é">' },
      { status: 'automatic' },
    ]);
    expect(JSON.stringify(await world.segments(id)).match(/"lost"/g)).toHaveLength(1);
    expect(await world.languages(id)).toMatchObject([{ progress: 66, automaticTranslation: { state: 'done' } }]);
  });

  it('waits as long as a busy engine says, and keeps what it has translated', async () => {
    const world = new WorkWorld();
    const asked: number[] = [];
    world.translate = async ({ texts }) => {
      asked.push(texts.length);
      if (asked.length > 1) return { results: texts.map(translated), usedCharacters: 1 };
      const results = texts.map((_, n) => (n === 0 ? translated('first') : PENDING));
      return { results, usedCharacters: 5, failure: new EngineFailure('busy', 30_000) };
    };
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(3) });
    await world.work();
    expect(await world.languages(id)).toMatchObject([
      { progress: 33, automaticTranslation: { state: 'running', problem: 'The translation engine is busy.' } },
    ]);
    expect(world.jobs()).toEqual([world.nowMs + 30_000]);
    await world.workUntilDone();
    expect(asked).toEqual([3, 2]);
    expect(await world.languages(id)).toMatchObject([
      { progress: 100, automaticTranslation: { state: 'done', problem: null } },
    ]);
  });

  it('fails if the engine keeps failing, and goes on with the other languages', async () => {
    const world = new WorkWorld();
    let calls = 0;
    world.translate = async (request) => {
      if (request.target === 'fr') return prefixing(request);
      calls++;
      const results = request.texts.map(() => PENDING);
      return { results, usedCharacters: 0, failure: new EngineFailure('unreachable', 1_000) };
    };
    const id = await world.create({ targetLanguages: [GERMAN, FRENCH], segments: segments(1) });
    await world.work();
    expect(world.failed).toEqual([]);
    await world.workUntilDone();
    expect(calls).toBe(8);
    expect(world.failed).toEqual(['unreachable']);
    expect(await world.languages(id)).toMatchObject([
      {
        state: 'InProgress',
        progress: 0,
        automaticTranslation: { state: 'failed', problem: 'The translation engine did not answer.' },
      },
      { progress: 100 },
    ]);
  });

  it('fails at once if a retry cannot help', async () => {
    const world = new WorkWorld();
    world.translate = async ({ texts }) => ({
      results: texts.map(() => PENDING),
      usedCharacters: 0,
      failure: new EngineFailure('unsupported-pair'),
    });
    const id = await world.create({ targetLanguages: [GERMAN], segments: segments(1) });
    await world.work();
    expect(await world.languages(id)).toMatchObject([{ automaticTranslation: { state: 'failed' } }]);
    expect(world.jobs()).toEqual([]);
    expect(world.failed).toEqual(['unsupported-pair']);
  });

  it('reports each language that the engine refuses, once', async () => {
    const world = new WorkWorld();
    world.translate = async ({ texts }) => ({
      results: texts.map(() => PENDING),
      usedCharacters: 0,
      failure: new EngineFailure('unauthorized'),
    });
    await world.create({ targetLanguages: [GERMAN, FRENCH], segments: segments(2) });
    await world.work();
    await world.work();
    expect(world.failed).toEqual(['unauthorized', 'unauthorized']);
  });

  it('leaves a language in preparation alone', async () => {
    const world = new WorkWorld();
    const id = await world.create({ targetLanguages: [{ ...GERMAN, state: 'InPreparation' }], segments: segments(1) });
    await world.work();
    expect(await world.contents(id)).toEqual([[null]]);
    expect(await world.languages(id)).toMatchObject([{ automaticTranslation: { state: 'queued' } }]);
  });
});

describe('a deletion during automatic translation', () => {
  it('of the project: stores nothing that arrives later, and leaves nothing', async () => {
    const world = new WorkWorld();
    let id = 0;
    world.translate = async (request) => {
      await world.service.delete({ id }, { kind: 'project' }, callContext());
      return prefixing(request);
    };
    id = await world.create({ targetLanguages: [GERMAN, FRENCH], segments: segments(1_100) });
    await world.workUntilDone();
    await expectProblem('project-not-found', () => world.segments(id));
    const left = world.storage.all().filter(({ sort }) => /^(translation|edit|work|project|lease)\//.test(sort));
    expect(left).toEqual([]);
  });

  it('of the project after some chunks: removes the stored chunks', async () => {
    const world = new WorkWorld();
    let [id, calls] = [0, 0];
    world.translate = async (request) => {
      if (++calls === 3) await world.service.delete({ id }, { kind: 'project' }, callContext());
      return prefixing(request);
    };
    id = await world.create({ targetLanguages: [GERMAN], segments: segments(2_000) });
    await world.workUntilDone();
    expect(calls).toBe(3);
    expect(world.storage.all().filter(({ sort }) => /^(translation|edit|work|project|lease)\//.test(sort))).toEqual([]);
  });

  it('of a task: keeps the other translations, and no byte of those of the task', async () => {
    const world = new WorkWorld();
    const mixed = segments(1_000).map((each, n) => ({ ...each, taskId: n % 3 === 0 ? 'gone' : 'kept' }));
    let [id, calls] = [0, 0];
    world.translate = async (request) => {
      if (++calls === 2) await world.service.delete({ id }, { kind: 'task', taskId: 'gone' }, callContext());
      return prefixing(request);
    };
    id = await world.create({ targetLanguages: [GERMAN], segments: mixed });
    await world.workUntilDone();
    const shown = await world.segments(id);
    expect(shown).toHaveLength(666);
    for (const { source, translations } of shown) {
      expect(source.taskId).toBe('kept');
      expect(translations).toMatchObject([{ content: `de: ${source.content}`, status: 'automatic' }]);
    }
    expect(await world.languages(id)).toMatchObject([{ progress: 100 }]);
    const chunks = world.storage.all().filter(({ sort }) => sort.startsWith('translation/'));
    expect(chunks).toHaveLength(2);
    const statuses = chunks.map(({ data }) => JSON.stringify(data)).join('');
    expect(statuses.match(/2(?=[02]*",)/g)).toHaveLength(666);
  });

  it('of tasks, one after the other: the progress of the others is counted exactly', async () => {
    const world = new WorkWorld();
    const tasks = ['first', 'kept', 'last'].flatMap((taskId) => segments(1_000).map((each) => ({ ...each, taskId })));
    const removed = new Map([
      [1, 'first'],
      [3, 'last'],
    ]);
    let [id, calls] = [0, 0];
    world.translate = async (request) => {
      const taskId = removed.get(++calls);
      if (taskId !== undefined) await world.service.delete({ id }, { kind: 'task', taskId }, callContext());
      // A slow engine, so that the results of each chunk are stored alone.
      world.nowMs += 1_000;
      return prefixing(request);
    };
    id = await world.create({ targetLanguages: [GERMAN], segments: tasks });
    await world.workUntilDone();
    expect(await world.segments(id)).toHaveLength(1_000);
    expect(await world.languages(id)).toMatchObject([{ progress: 100, automaticTranslation: { state: 'done' } }]);
    expect(world.events(id).map(({ type }) => type)).toContain('language.completed');
  });
});
