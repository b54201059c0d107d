import { describe, expect, it } from 'vitest';
import { contentReader } from '../../lib/hosted/translation/content-reader.ts';
import { apertiumEngine } from '../../lib/hosted/translation/engines/apertium.ts';
import { translateSegments } from '../../lib/hosted/translation/translate-segments.ts';
import { httpTransport } from '../../lib/service/http-client/transport.ts';
import { CALL, ENOUGH, shown } from '../lib/hosted/translation/world.ts';
import { asObjects, realProject } from '../support/projects.ts';

const { APERTIUM_URL = '' } = process.env;
const engine = apertiumEngine({ transport: httpTransport(new URL(APERTIUM_URL), Date.now), now: Date.now });

async function translate(texts: readonly string[], target: string): Promise<string[]> {
  const request = { source: 'en-GB', target, texts, deadline: ENOUGH };
  const { results, failure } = await translateSegments(engine, contentReader(), request);
  expect(failure).toBeUndefined();
  return results.map(shown);
}

/** Returns everything of a content that is no words, found in a simpler way than the code does. */
function keptIn(content: string): string[] {
  return [...content.matchAll(/<[^>]*>|&#?\w+;|%\{\w+\}|\{\{\w+\}\}|\{\w*\}|%\d?\$?[sd]/g)]
    .map(([kept]) => kept)
    .sort();
}

/** Whether a content has some words. `Article 1` is the same in Catalan. */
const hasWords = (content: string) => /[a-z]+ [a-z]+ [a-z]{3}/i.test(content.replaceAll(/<[^>]*>|%\{\w+\}/g, ''));

/** The real projects, and words that their translations must have. */
const CASES = [
  ['ui-strings', 'es-ES', ['añadir', 'errores', 'debido a']],
  ['ui-strings', 'ca', ['afegir', 'fitxers', 'errors interns']],
  ['udhr-html', 'es-ES', ['derechos', 'libertad', 'Preámbulo', 'familia humana']],
  ['udhr-html', 'ca', ['drets humans', 'llibertat', 'Preàmbul', 'família humana']],
] as const;

/** The least share of the contents with words that Apertium must translate into something else. */
const TRANSLATED_SHARE = 0.95;

describe.each(CASES)('%s into %s', (project, target, words) => {
  it('comes back with every tag, entity and placeholder, and translated', async () => {
    const contents = asObjects(realProject(project)['segments']).map(({ content }) => String(content));
    const translations = await translate(contents, target);
    expect(translations.map(keptIn)).toEqual(contents.map(keptIn));
    const withWords = contents.flatMap((content, index) =>
      hasWords(content) ? [{ content, translation: translations[index] }] : [],
    );
    const changed = withWords.filter(({ content, translation }) => translation !== content);
    expect(withWords.length).toBeGreaterThan(contents.length / 3);
    expect(changed.length / withWords.length).toBeGreaterThan(TRANSLATED_SHARE);
    for (const word of words) expect(translations.join('\n')).toContain(word);
  });
});

describe('what Apertium would translate or lose', () => {
  it.each([
    ['{0} of {1} files, %s and %2$s', /^(?=.*\{0\})(?=.*\{1\})(?=.*%s)(?=.*%2\$s).*(?:limas|ficheros|archivos)/],
    ['Hello {{name}}, you have %{count} new messages', /^(?=.*\{\{name\}\})(?=.*%\{count\}).*Hola/],
    [
      'You have {n, plural, =0 {no house} one {# house} other {# <b>houses</b>}}.',
      /\{n, plural, =0 \{.*casa\} one \{# casa\} other \{# <b>casas<\/b>\}\}\.$/i,
    ],
    ['{g, select, male {the house} other {the houses}}', /^\{g, select, male \{la casa\} other \{las casas\}\}$/i],
    ['<p>The <a href="/house" title="house">red <b>house</b></a></p>', /<a href="\/house" title="house">/],
    ['R&amp;D &lt;house&gt; &copy; the house', /&amp;.*&lt;.*casa.*&gt;.*&copy;/],
    ['<code>house</code> the house <!-- house -->', /^<code>house<\/code> la casa <!-- house -->$/i],
    ['See https://example.com/house.html', /https:\/\/example\.com\/house\.html$/],
    ['  The house\n\n\tThe dog ', /^ {2}La casa\n\n\tEl perro $/],
    ['The ^house$ / [dog] \\ @ * < > cat', /\/ \[.*\] \\ @ .*< > /],
  ])('%j', async (content, expected) => {
    const [translation = ''] = await translate([content], 'es');
    expect(translation).toMatch(expected);
  });

  it('characters that end its messages do not mix up texts', async () => {
    const hostile = [
      'the dog\u0000',
      '\u0000\u0000',
      'a \u0000 b',
      '[\u0000]',
      '\u202ethe cat\u202c',
      '\\\u0000',
      '.\u0000^',
    ];
    const texts = hostile.flatMap((text, index) => [text, `the house ${index}`]);
    // Apertium may start a sentence with a capital.
    const translations = (await translate(texts, 'es')).map((text) => text.toLowerCase());
    expect(translations.filter((_, index) => index % 2 === 1)).toEqual(hostile.map((_, index) => `la casa ${index}`));
    expect(translations[0]).toBe('el perro\u0000');
  });
});

it('knows its pairs', async () => {
  const pairs = [
    ['en-US', 'es-ES'],
    ['en', 'ca-ES'],
    ['es', 'en-GB'],
    ['en', 'de'],
    ['es', 'ca'],
  ] as const;
  const supported = await Promise.all(pairs.map(([source, target]) => engine.supports(source, target, CALL)));
  expect(supported).toEqual([true, true, true, false, false]);
  const request = { source: 'en', target: 'de', texts: ['a house'], deadline: ENOUGH };
  expect((await translateSegments(engine, contentReader(), request)).failure?.code).toBe('unsupported-pair');
});
