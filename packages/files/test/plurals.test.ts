import { describe, expect, it } from 'vitest';
import { loadCodec, loadSourceCodec } from '../codecs.ts';
import type { SourceFormat } from '../source-file.ts';
import { fileOf, translated } from './files.ts';

/** Returns the custom ids of the texts that a project into some languages gets, with the content and notes of each. */
async function textsOf(format: SourceFormat, text: string, targets: readonly string[], source = 'en') {
  const { texts } = await loadSourceCodec(format);
  const found = texts(Buffer.from(text), source, targets).texts;
  return found.map(({ customId = '', content, notes = '' }) => [customId, content, notes] as const);
}

/**
 * Makes a project of a file, and fills its translations into the file.
 * @param madeFor the target languages that the project was made with
 * @param without the custom ids of segments that have no translation
 */
async function fill(
  format: SourceFormat,
  text: string,
  languageCode: string,
  { madeFor = [languageCode], without = [], source = 'en' }: FillOptions = {},
) {
  const texts = await textsOf(format, text, madeFor, source);
  const segments = texts.map(([customId, content], index) => ({
    content,
    ...(customId !== '' && { customId }),
    ...(!without.includes(customId) && { translation: translated(`${languageCode}${index} ${content}`) }),
  }));
  const file = fileOf(segments);
  const codec = await loadSourceCodec(format);
  const project = { ...file.project, sourceLanguageCode: source };
  const { file: bytes, ...counts } = codec.fill(Buffer.from(text), { ...file, project, languageCode });
  return { ...counts, skipped: counts.skipped.map(({ reason }) => reason), text: Buffer.from(bytes).toString() };
}

interface FillOptions {
  readonly madeFor?: readonly string[];
  readonly without?: readonly string[];
  readonly source?: string;
}

const JSON_FILE = `{
  "files_one": "a file",
  "files_other": "files",
  "home": {"nth_ordinal_one": "st", "nth_ordinal_other": "th" }, "choose_other": "Other"
}`;
const ANDROID = `<resources>
    <!-- In the list -->
    <plurals name="files">
        <item quantity="one">a file</item>
        <item quantity="other"><b>files</b></item>
    </plurals>
</resources>`;
const STRINGSDICT = `<plist><dict><key>files</key><dict>
  <key>NSStringLocalizedFormatKey</key><string>%#@count@</string>
  <key>count</key>
  <dict>
    <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
    <key>one</key>
    <string>a file</string>
    <key>other</key>
    <string>files</string>
  </dict>
</dict></dict></plist>`;

describe('the plural forms that the source language lacks', () => {
  it.each<[SourceFormat, string, string]>([
    ['json', JSON_FILE, 'files_'],
    ['android', ANDROID, 'files.'],
    ['stringsdict', STRINGSDICT, 'files.count.'],
  ])('become segments of a project in %s', async (format, file, prefix) => {
    const formsFor = async (...targets: string[]) => {
      const ids = (await textsOf(format, file, targets)).map(([customId]) => customId);
      return ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
    };
    expect(await formsFor('de')).toEqual(['one', 'other']);
    expect(await formsFor('pl')).toEqual(['one', 'other', 'few', 'many']);
    expect(await formsFor('ar_EG')).toEqual(['one', 'other', 'zero', 'two', 'few', 'many']);
    expect(await formsFor('ja')).toEqual(['one', 'other']);
    expect(await formsFor('de', 'sl', 'xx', '!')).toEqual(['one', 'other', 'two', 'few']);
  });

  it('have notes that say which numbers they are for', async () => {
    expect((await textsOf('android', ANDROID, ['pl', 'de']))[2]).toEqual([
      'files.few',
      '<b>files</b>',
      'In the list\nPlural form "few", for numbers such as: pl 2, 3, 4',
    ]);
    expect((await textsOf('json', JSON_FILE, ['fr']))[2]?.[2]).toContain('fr 1000000');
  });

  it('are written into a JSON file', async () => {
    expect(await fill('json', JSON_FILE, 'pl')).toEqual({
      filled: 7,
      untranslated: 0,
      skipped: [],
      warnings: [],
      text: `{
  "files_one": "pl0 a file",
  "files_other": "pl1 files",
  "files_few": "pl2 files",
  "files_many": "pl3 files",
  "home": {"nth_ordinal_one": "pl4 st", "nth_ordinal_other": "pl5 th" }, "choose_other": "pl6 Other"
}`,
    });
    expect((await fill('json', JSON_FILE, 'sv')).text).toContain('"nth_ordinal_one": "sv2 st"');
    expect((await fill('json', JSON_FILE, 'it')).text).toContain('th", "nth_ordinal_many": "it');
    expect((await fill('json', '{"n_other":"x"}', 'en', { source: 'ja' })).text).toBe(
      '{"n_other":"en0 x","n_one":"en1 x"}',
    );
  });

  it('are written into a file of Android', async () => {
    const { text } = await fill('android', ANDROID, 'pl');
    expect(text).toBe(
      ANDROID.replace('a file', 'pl0 a file').replace(
        '<b>files</b></item>',
        `pl1 <b>files</b></item>
        <item quantity="few">pl2 <b>files</b></item>
        <item quantity="many">pl3 <b>files</b></item>`,
      ),
    );
  });

  it('are written into a .stringsdict file', async () => {
    const { text } = await fill('stringsdict', STRINGSDICT, 'pl');
    expect(text).toBe(
      STRINGSDICT.replace('a file', 'pl0 a file').replace(
        'files</string>',
        `pl1 files</string>
    <key>few</key>
    <string>pl2 files</string>
    <key>many</key>
    <string>pl3 files</string>`,
      ),
    );
  });

  it.each<[SourceFormat, string]>([
    ['json', JSON_FILE],
    ['android', ANDROID],
    ['stringsdict', STRINGSDICT],
  ])('are counted in %s if they are not translated, or the project has no segments for them', async (format, file) => {
    const ids = (await textsOf(format, file, ['pl'])).map(([customId]) => customId);
    const few = ids.filter((id) => id.endsWith('few'));
    expect(await fill(format, file, 'pl', { without: few })).toMatchObject({ untranslated: 1, skipped: [] });
    const old = await fill(format, file, 'pl', { madeFor: [] });
    expect(old).toMatchObject({ untranslated: 0, skipped: ['plural', 'plural'] });
    const japanese = await fill(format, file, 'ja', { without: ids.filter((id) => id.endsWith('one')) });
    expect(japanese).toMatchObject({ untranslated: 0, skipped: [] });
  });
});

const header = (language: string, plural: string) =>
  `msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n"Plural-Forms: ${plural}\\n"\n\n`;
const ENTRY = '#. On top\nmsgctxt "menu"\nmsgid "a file"\nmsgid_plural "files"\n';
const EMPTY = 'msgstr[0] ""\nmsgstr[1] ""\n';
const POLISH = `nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);`;

describe('the plural forms of gettext', () => {
  it.each([
    ['de', 'nplurals=2; plural=(n != 1);', ['one', 'other']],
    ['fr', 'nplurals=2; plural=n > 1', ['one', 'other']],
    ['es', 'nplurals=3; plural=n == 1 ? 0 : n != 0 && n % 1000000 == 0 ? 1 : 2;', ['one', 'many', 'other']],
    ['pt', 'nplurals=2; plural=(n != 1);', ['one', 'other']],
    ['ja', 'nplurals=1; plural=0;', ['other']],
    ['pl', POLISH, ['one', 'few', 'many']],
    [
      'sl',
      'nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);',
      ['one', 'two', 'few', 'other'],
    ],
    ['lv', 'nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);', ['zero', 'one', 'other']],
    [
      'ar',
      'nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;',
      ['zero', 'one', 'two', 'few', 'many', 'other'],
    ],
    ['he', 'nplurals=4; plural=!(n-1) ? 0 : n==2 ? 1 : n>10 && n%10==0 ? 2 : 3;', ['one', 'two', 'other', '2']],
  ])('in %s are those of the header: %s', async (language, plural, names) => {
    const texts = await textsOf('gettext', header(language, plural) + ENTRY + EMPTY, []);
    const ids = names.map((name) => (name === 'one' || name === 'other' ? 'menu' : `menu.a file.${name}`));
    expect(texts.map(([customId]) => customId)).toEqual(ids);
    expect(texts.map(([, content]) => content)).toEqual(names.map((name) => (name === 'one' ? 'a file' : 'files')));
  });

  it('are filled in by what each is for, and those that the entry lacks too', async () => {
    const file = header('pl', POLISH) + ENTRY + EMPTY;
    expect(await fill('gettext', file, 'pl')).toEqual({
      filled: 3,
      untranslated: 0,
      skipped: [],
      warnings: [],
      text: file.replace(EMPTY, 'msgstr[0] "pl0 a file"\nmsgstr[1] "pl1 files"\nmsgstr[2] "pl2 files"\n'),
    });
    const latvian = header('lv', 'nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);') + ENTRY + EMPTY;
    // The texts of the project are in the order of CLDR.
    expect((await fill('gettext', latvian, 'lv')).text).toContain(
      'msgstr[0] "lv1 a file"\nmsgstr[1] "lv2 files"\nmsgstr[2] "lv0 files"\n',
    );
  });

  it('come from a template for all target languages', async () => {
    const template = header('', 'nplurals=INTEGER; plural=EXPRESSION;') + ENTRY + EMPTY;
    expect(await textsOf('gettext', template, ['de', 'pl'])).toEqual([
      ['menu', 'a file', 'On top'],
      ['menu.a file.few', 'files', 'On top\nPlural form "few", for numbers such as: pl 2, 3, 4'],
      ['menu.a file.many', 'files', 'On top\nPlural form "many", for numbers such as: pl 0, 5, 6'],
      ['menu', 'files', 'On top'],
    ]);
    const german = header('de', 'nplurals=2; plural=(n != 1);') + ENTRY + EMPTY;
    expect(await fill('gettext', german, 'de', { madeFor: ['de', 'pl'] })).toMatchObject({ filled: 2, skipped: [] });
    const japanese = `${header('ja', 'nplurals=1; plural=0;')}${ENTRY}msgstr[0] ""\n`;
    expect((await fill('gettext', japanese, 'ja')).text).toContain('msgstr[0] "ja0 files"\n');
  });

  it.each([
    // Files of Django: their headers are older than their entries.
    ['fr', 'nplurals=2; plural=(n > 1);', ['a file', 'files', 'files']],
    ['sr@latin', POLISH, ['a file', 'files', 'files']],
    ['tt', 'nplurals=1; plural=0;', ['files']],
    ['uz', 'nplurals=1; plural=0;', ['files']],
    ['tr', 'nplurals=2; plural=(n > 1);', ['a file', 'files']],
    ['xx', '', ['a file', 'files']],
    ['xx', POLISH, ['files', 'files', 'files']],
  ])('in %s are those that an entry has, whatever its header says (%s)', async (language, plural, sources) => {
    const empty = sources.map((_, form) => `msgstr[${form}] ""\n`).join('');
    const file = header(language, plural) + ENTRY + empty;
    const filled = await fill('gettext', file, language);
    expect(filled).toMatchObject({ filled: sources.length, untranslated: 0, skipped: [] });
    const written = [...filled.text.matchAll(/^msgstr\[\d\] "\S+ (.*)"$/gm)].map(([, text]) => text);
    expect(written).toEqual(sources);
  });

  it('are counted if the file or the project lacks them', async () => {
    const polish = header('pl', POLISH) + ENTRY + EMPTY;
    const old = await fill('gettext', polish.replace(POLISH, ''), 'pl', { madeFor: ['de'] });
    expect(old).toMatchObject({ filled: 0, untranslated: 0, skipped: ['plural'] });
    const partly = await fill('gettext', polish, 'pl', { without: ['menu.a file.few'] });
    expect(partly).toMatchObject({ filled: 0, untranslated: 1, skipped: ['plural'], text: polish });
  });

  it('are read with their translations', async () => {
    const { read } = await loadCodec('gettext');
    const file = `${header('pl', POLISH)}msgid "a file"\nmsgid_plural "files"\nmsgstr[0] "plik"\nmsgstr[1] "pliki"\nmsgstr[2] "plików"\n`;
    expect(read(file).entries.map(({ customIds, source, content }) => [customIds, source, content])).toEqual([
      [[], 'a file', 'plik'],
      [['a file.few'], 'files', 'pliki'],
      [['a file.many'], 'files', 'plików'],
    ]);
  });

  it.each([
    ['nplurals=3; plural=n+;'],
    ['nplurals=3; plural=n==1 ? 0 : 1 2'],
    ['nplurals=3; plural=alert(n);'],
    ['nplurals=3; plural=n/0;'],
    ['nplurals=99; plural=n;'],
    [`nplurals=3; plural=${'('.repeat(5_000)}`],
    ['nplurals=3'],
  ])('are those of the language if the header is wrong: %s', async (plural) => {
    const texts = await textsOf('gettext', header('pl', plural) + ENTRY + EMPTY, []);
    expect(texts.map(([customId]) => customId)).toEqual(['menu', 'menu.a file.few', 'menu.a file.many']);
  });
});
