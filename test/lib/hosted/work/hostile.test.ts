import { setImmediate, setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentReader } from '../../../../lib/hosted/translation/content-reader.ts';
import { pseudoEngine } from '../../../../lib/hosted/translation/engines/pseudo.ts';
import { translateSegments } from '../../../../lib/hosted/translation/translate-segments.ts';
import type { Timer } from '../../../../lib/service/deadline.ts';
import type { TextResult, TranslationEngine } from '../../../../lib/service/translation-engine.ts';
import { loadCodec } from '../../../../packages/files/codecs.ts';
import { type ProjectLanguages, readTranslations } from '../../../../packages/files/project-translations.ts';
import { FILE_FORMATS } from '../../../../packages/files/translation-file.ts';
import { callContext } from '../../support.ts';
import { type FakeEngine, fakeEngine } from '../translation/world.ts';
import { translated, WorkWorld } from './world.ts';

const GERMAN = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };

/** Makes a world whose worker calls an engine. Without a timer, a call that does not answer soon reaches its time limit. */
function worldWith(engine: TranslationEngine, timer: Timer = () => setImmediate()): WorkWorld {
  const world = new WorkWorld();
  world.translate = (request) => translateSegments(engine, contentReader(), { ...request, timer });
  return world;
}

/** Creates a project of these contents with German as its target. */
const create = (world: WorkWorld, contents: readonly string[]) =>
  world.create({ targetLanguages: [GERMAN], segments: contents.map((content) => ({ content })) });

/** Returns each translation into German, or the reason why there is none. */
async function shown(world: WorkWorld, id: number): Promise<(string | null | undefined)[]> {
  const segments = await world.segments(id);
  return segments.map(({ translations: [german] }) => german?.problem ?? german?.content);
}

/** Reads the translations of a project as `segue export` does. */
function readFile(world: WorkWorld, id: number) {
  const project: ProjectLanguages = { id, name: 'x', sourceLanguageCode: 'en-GB', targetLanguageCodes: ['de'] };
  const client = {
    getProject: async () => project,
    async *eachSegment() {
      yield* await world.segments(id);
    },
  };
  return readTranslations(client, project, { languageCode: 'de' });
}

describe('hostile content', () => {
  const HOSTILE: Readonly<Record<string, string>> = {
    'many words': 'word '.repeat(20_000),
    'a mebibyte without a space': 'x'.repeat(1_048_576),
    'deep nesting': `${'<div>'.repeat(2_000)}x${'</div>'.repeat(2_000)}`,
    'tags without an end': `${'<b>'.repeat(2_000)}x`,
    'a huge attribute': `<a title="${'y'.repeat(200_000)}">text</a>`,
    entities: `text ${'&amp;&lt;&#0;&#xD800;&bomb;'.repeat(500)}`,
    'a document type': '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]><p>&c;</p>',
    'bidi controls': '\u202eevil \u2066text\u2069\u202c \u200fend',
    'control characters': 'a \u0000 b \u0007 c',
    'half of CDATA': 'text ]]> <![CDATA[ text',
    'letters beyond 16 bits': '😀 text 👩‍👩‍👧 𝔘',
  };
  const UNREADABLE = '{n, plural, one {'.repeat(1_000);
  const contents = [...Object.values(HOSTILE), UNREADABLE].flatMap((content, n) => [content, `plain text ${n}`]);
  const world = worldWith(pseudoEngine, setTimeout);
  let id = 0;
  beforeAll(async () => {
    id = await create(world, contents);
    await world.workUntilDone();
  });

  it('is translated, or says why it is not, and keeps no other segment from its translation', async () => {
    const segments = await world.segments(id);
    expect(segments.map(({ source }) => source.content)).toEqual(contents);
    const untranslated = segments.flatMap(({ source, translations: [german] }) =>
      german?.status === 'automatic' && german.content !== source.content ? [] : [[source.content, german?.problem]],
    );
    expect(untranslated).toEqual([[UNREADABLE, 'message-unreadable']]);
    expect(await world.languages(id)).toMatchObject([
      { progress: 95, automaticTranslation: { state: 'done', problem: null } },
    ]);
    expect(await world.progress(id)).toMatchObject({ total: 95 });
    expect(world.failures).toEqual([]);
  });

  it.each(FILE_FORMATS)('comes back from a file of the format %s', async (format) => {
    const file = await readFile(world, id);
    const codec = await loadCodec(format);
    const { entries, faults } = codec.read(codec.write(file));
    expect(faults).toEqual([]);
    expect(entries.map(({ content }) => content)).toEqual(
      file.segments.map(({ translation }) => translation?.content ?? ''),
    );
  });
});

it('content with too many lines is told of in its language, and others of its project are translated', async () => {
  const world = worldWith(pseudoEngine, setTimeout);
  const id = await create(world, ['a\n'.repeat(500_000), 'plain text', '<b>a</b> '.repeat(100_000)]);
  await world.workUntilDone();
  expect(await shown(world, id)).toEqual(['too-complex', '[þļåîñ ţéẋţ…]', 'too-complex']);
  expect(await world.languages(id)).toMatchObject([
    { progress: 33, automaticTranslation: { state: 'done', problem: expect.stringContaining('too-complex') } },
  ]);
});

it('a translation that is too long for an answer is refused, although each of its sentences is plausible', async () => {
  const engine = fakeEngine(({ texts }) => texts.map((text) => translated(text.repeat(7))));
  const world = worldWith(engine, setTimeout);
  const id = await create(world, ['Long enough. '.repeat(60_000), 'short']);
  await world.workUntilDone();
  expect(await shown(world, id)).toEqual(['implausible', 'short'.repeat(7)]);
});

describe('an engine that answers one text wrongly', () => {
  const TEXTS = ['one', 'two', 'poison', 'three', '<b>four</b>', 'five'];
  /** Returns an engine that answers batches with the text `poison` in this way. */
  const poisoned = (act: (results: TextResult[], at: number) => unknown): FakeEngine =>
    fakeEngine(({ texts }) => {
      const results = texts.map((text) => translated(text.toUpperCase()));
      const at = texts.indexOf('poison');
      // An engine at the end of a network answers anything.
      return at < 0 ? results : (act(results, at) as never);
    });

  it.each<[string, (results: TextResult[], at: number) => unknown, string]>([
    ['too few results', (results) => results.slice(1), 'rejected'],
    ['too many results', (results) => [...results, translated('more')], 'rejected'],
    ['no list', () => 'garbage', 'rejected'],
    ['nothing', () => undefined, 'rejected'],
    ['results of another kind', (results) => results.map(() => ({ kind: 'odd' })), 'rejected'],
    ['an empty text', (results, at) => results.with(at, translated(' \n')), 'implausible'],
    ['a mebibyte', (results, at) => results.with(at, translated('x'.repeat(1_048_576))), 'implausible'],
    ['half of a character', (results, at) => results.with(at, translated('a \ud800 b')), 'placeholder-lost'],
    ['a tag', (results, at) => results.with(at, translated('<script>x</script>')), 'markup-lost'],
    ['a placeholder', (results, at) => results.with(at, translated('{name}')), 'placeholder-lost'],
    ['a control character', (results, at) => results.with(at, translated('a\u0000b')), 'placeholder-lost'],
    ['an override of direction', (results, at) => results.with(at, translated('\u202eab')), 'placeholder-lost'],
  ])('%s: translates the others, and shows why', async (_, act, reason) => {
    const world = worldWith(poisoned(act));
    const id = await create(world, TEXTS);
    await world.workUntilDone();
    expect(await shown(world, id)).toEqual(['ONE', 'TWO', reason, 'THREE', '<b>FOUR</b>', 'FIVE']);
    expect(await world.languages(id)).toMatchObject([
      { progress: 83, automaticTranslation: { state: 'done', problem: null } },
    ]);
  });
});

describe('an engine that stops answering', () => {
  const never = () => new Promise<never>(() => {});

  it('keeps what it has translated, shows why, and goes on when somebody starts the language again', async () => {
    let isDown = true;
    const engine = fakeEngine(
      ({ texts }) => (isDown && texts.includes('two') ? never() : texts.map((text) => translated(text.toUpperCase()))),
      { limits: { texts: 1 } },
    );
    const world = worldWith(engine);
    const id = await create(world, ['one', 'two', 'three']);
    await world.workUntilDone();
    expect(await shown(world, id)).toEqual(['ONE', null, null]);
    expect(await world.languages(id)).toMatchObject([
      { progress: 33, automaticTranslation: { state: 'failed', problem: expect.stringContaining('time') } },
    ]);
    isDown = false;
    await world.service.changeLanguage({ id }, 'de', { state: 'InProgress' }, callContext());
    await world.workUntilDone();
    expect(await shown(world, id)).toEqual(['ONE', 'TWO', 'THREE']);
    expect(await world.languages(id)).toMatchObject([
      { progress: 100, automaticTranslation: { state: 'done', problem: null } },
    ]);
  });

  it('that answers after the deletion has nothing stored', async () => {
    const world: WorkWorld = worldWith(
      fakeEngine(async ({ texts }) => {
        await world.service.delete({ id }, { kind: 'project' }, callContext());
        return texts.map(translated);
      }),
    );
    const id: number = await create(world, ['one']);
    await world.workUntilDone();
    expect(world.storage.all().filter(({ sort }) => /^(translation|work|project)\//.test(sort))).toEqual([]);
  });
});
