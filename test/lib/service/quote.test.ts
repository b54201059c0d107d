import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import { quoteOf, quoteSteps } from '../../../lib/service/quote.ts';
import type { JsonObject } from '../../support/projects.ts';
import { checked } from '../support.ts';

const MIB = 1_048_576;

function projectOf(contents: readonly string[], fields: JsonObject = {}): CheckedProject {
  return checked({ segments: contents.map((content) => ({ content })), ...fields });
}

/** Counts the words of one content. */
async function wordsOf(content: string, sourceLanguageCode = 'en-GB'): Promise<number> {
  return (await quoteOf(projectOf([content], { sourceLanguageId: null, sourceLanguageCode }), {})).words;
}

describe('the words of a quote', () => {
  it.each([
    ['Hello, world!', 2],
    ['Don’t count 1,234.5 twice', 4],
    ['<p>Hello, <b>wo</b>rld!</p><p title="not counted">A&nbsp;b</p><!-- c -->', 4],
    ['<script>let a = 1;</script>Text<code>npm ci</code>', 1],
    ['Hello {name}, you have %1$d of {{count}} new %s', 5],
    ['See https://example.com/a/b?c=d or <% code %> now', 3],
    ['{n, plural, one {# file of {user}} other {# files}} left', 4],
    ['{n, plural, one {# file', 4],
    ['one\ntwo\r\nthree', 3],
    ['—…!', 0],
  ])('are those of %j: %i', async (content, words) => {
    expect(await wordsOf(content)).toBe(words);
  });

  it.each([
    ['ja', '今日は天気がいいです。', 6],
    ['th', 'สวัสดีชาวโลก', 3],
    ['zh-CN', '你好世界', 2],
  ])('are found in %s, which has no spaces', async (code, content, words) => {
    expect(await wordsOf(content, code)).toBe(words);
  });

  it('are the same in a long content as in many short ones', async () => {
    const sentence = 'Hello <b>big {adjective} world</b>, one &amp; all. ';
    expect(await wordsOf(sentence.repeat(2_000))).toBe(2_000 * (await wordsOf(sentence)));
    const plain = 'Nothing but words here. ';
    expect(await wordsOf(plain.repeat(20_000))).toBe(20_000 * 4);
  });

  it('are counted in a content that an engine would not translate', async () => {
    expect(await wordsOf('a\n'.repeat(30_000))).toBe(30_000);
  });
});

describe('a quote', () => {
  const engine = { name: 'deepl', price: { amount: 20, currency: 'EUR' } };

  it('counts code points and repeated contents', async () => {
    const project = projectOf(['one two', 'a😀', 'one two', 'One two', 'one two']);
    const quote = await quoteOf(project, {});
    expect(quote).toEqual({ words: 9, characters: 30, repeats: 2, automaticTranslation: null });
  });

  it('has the characters of each language that the engine translates now, and what they cost', async () => {
    const project = projectOf(['one two', 'a😀'], {
      targetLanguages: [
        { targetLanguageCode: 'de', serviceAutomaticTranslation: true },
        { targetLanguageCode: 'fr', serviceAutomaticTranslation: true, state: 'InProgress' },
        { targetLanguageCode: 'it', serviceAutomaticTranslation: true, state: 'InPreparation' },
        { targetLanguageCode: 'es', serviceAutomaticTranslation: false },
        { targetLanguageCode: 'pt' },
      ],
    });
    const translation = { engine: 'deepl', characters: 18, cost: { amount: 0.00036, currency: 'EUR' } };
    expect((await quoteOf(project, { engine })).automaticTranslation).toEqual(translation);
    const { automaticTranslation } = await quoteOf(project, { engine: { name: 'pseudo' } });
    expect(automaticTranslation).toEqual({ engine: 'pseudo', characters: 18, cost: null });
  });

  it('costs what the caller says that the engine gets', async () => {
    const { automaticTranslation } = await quoteOf(projectOf(['one']), { engine, automaticCharacters: 1_500_000 });
    expect(automaticTranslation).toEqual({
      engine: 'deepl',
      characters: 1_500_000,
      cost: { amount: 30, currency: 'EUR' },
    });
  });
});

describe('a step of a quote', () => {
  afterEach(() => vi.restoreAllMocks());

  // Of the dearest projects (4 MiB in these contents), no step needs more than 13 ms of a slow core, without the garbage
  // collection, and all steps together need 3 seconds at most.
  it.each<[string, readonly string[]]>([
    ['one content of a mebibyte', ['word '.repeat(MIB / 5)]],
    ['one content without spaces', ['日本語'.repeat(MIB / 9)]],
    ['one word', ['a'.repeat(MIB)]],
    ['one content of surrogate pairs', ['😀'.repeat(MIB / 4)]],
    ['one content of tags', ['<b>a</b>'.repeat(MIB / 8)]],
    ['one content of tags that do not end', ['<p>'.concat('<b '.repeat(MIB / 3 - 2))]],
    ['one content of placeholders', ['{a}'.repeat(MIB / 3)]],
    ['one message', [`{n, plural, one {a} other {b}} ${'word '.repeat(50)}`.repeat(MIB / 281)]],
    ['one content of line breaks', ['a\n'.repeat(MIB / 2)]],
    ['one content of messages', ['{n, plural, one {a} other {b}} '.repeat(MIB / 31)]],
    ['many contents', Array.from({ length: 50_000 }, (_, n) => `content with number ${n}`)],
    ['many tiny contents', Array.from({ length: 50_000 }, (_, n) => `${n}`)],
  ])('reads little of %s', (_, contents) => {
    const project = projectOf(contents);
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    const steps = quoteSteps(project, {});
    const length = contents.reduce((sum, content) => sum + content.length, 0);
    let count = 0;
    for (let isDone = false; !isDone; count++) {
      isDone = steps.next().done === true;
      const read = segment.mock.calls.map(([text]) => text.length);
      segment.mockClear();
      expect(read.length).toBeLessThanOrEqual(129);
      expect(read.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(4_224);
    }
    expect(count).toBeGreaterThanOrEqual(length / 4_096);
  });
});
