import { describe, expect, it } from 'vitest';
import { crossingsOf, formatGrowth, growthOfCase, type ReaderCase } from '../../../test/faults/readers/cases.ts';
import { workWithExport, workWithFile, workWithTranslation } from '../../../test/faults/readers/work.ts';
import { loadSourceCodec } from '../codecs.ts';
import { SOURCE_FORMATS, type SourceFormat } from '../source-file.ts';
import { fileOf } from './files.ts';

/** The largest texts, in characters. `npm run faults -- readers` repeats every piece of every grammar in larger ones. */
const MAX_SIZE = 16_384;
const MAX_FILE_SIZE = 65_536;

function textsOf(before: string, piece: string, after: string) {
  return (size: number) => before + piece.repeat(size / piece.length) + after;
}

function expectLinear(tested: ReaderCase, maxSize = MAX_SIZE): void {
  const growth = growthOfCase(tested, maxSize);
  expect(growth && formatGrowth(tested, growth)).toBeUndefined();
}

const BEFORE =
  '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a"><body><trans-unit id="1">';
const AFTER = '</trans-unit></body></file></xliff>';

/** Texts of files: what is before, what is repeated, and what is after. */
const FILES: readonly (readonly [format: SourceFormat, before: string, piece: string, after: string])[] = [
  ['apple-strings', '', '/', '\n\n"a" = "b";'],
  ['apple-strings', '', '/**/ //', '\n\n"a" = "b";'],
  ['apple-strings', '/* a', ' ', 'b */ "a" = "b";'],
  ['apple-strings', '/* a */', '\t', '\n\n"a" = "b";'],
  ['gettext', '', '\t', 'a'],
  ['gettext', 'msgid "a"\nmsgid_plural "b"\n', 'msgstr[0] ""\n', ''],
  ['gettext', 'msgid "a', '"b', '"\nmsgstr ""'],
  ['gettext', 'msgid "a"\nmsgstr ', '"\\"\n', ''],
  ['gettext', 'msgid "a"\nmsgstr', '\n', '""'],
  ['gettext', 'msgid "a"\nmsgstr', ' [', ''],
  ['gettext', '', '""', ''],
  ['gettext', 'msgid ', '""', '\nmsgstr ""'],
  ['gettext', 'msgid ', '"" ', 'a'],
  ['csv', 'en,de\n', 'a,b\n', ''],
  ['csv', 'key,en,de\n', 'a,b,\n', ''],
  ['csv', 'en,de\na', '\u0301\u0316', ',b'],
  ['json', '[', '"a",', '""]'],
  ['json', '', '[', '"a"'],
  ['android', '<resources>', '<string name="a">a</string>', '</resources>'],
  ['android', '<resources>', '<!-- a -->\n', '<string name="a">a</string></resources>'],
  ['html', '', '<p>a', ''],
  ['html', '<p>', '<b>a</i>', '</p>'],
  ['html', '', '<html ', '<p>a'],
  ['html', '', '<?', 'a'],
  ['html', '', '<?php ', 'a'],
  ['html', '', "<?php ' ?>", ''],
  ['html', '', '<? /* ?>', ''],
  ['html', '', '<?php <<<A\n?>', ''],
  ['html', '', '@if(', ''],
  ['html', '', '@php ', ''],
  ['html', '', '<% {{ {% {# ', 'a'],
  ['html', '', '{# a } ', '#}'],
  ['html', '', '{{ a }}', 'a'],
  ['html', '<p>', '<script>a & b</script> c', ''],
  ['html', '<p>', '&copy <!-- & -->', ''],
  ['html', '<meta name="description" ', 'content="a" ', '>'],
  ['markdown', '', '<A title="b">', ''],
  ['markdown', '', '<A title="b"/>', 'c'],
  ['markdown', 'a ', '{"', ''],
  ['markdown', 'a ', '{`${', ''],
  ['markdown', '<A b={', '(/', ''],
  ['markdown', '', '[a](', ''],
  ['markdown', '', '*a_', ''],
  ['markdown', 'a', ' ', 'b'],
  ['markdown', 'a ', '<!--', ''],
  ['markdown', 'a ', '<a:', ''],
  ['markdown', '', '- ', 'a'],
  ['markdown', '', '>', 'a'],
  ['markdown', '[', '...\n', ''],
  ['markdown', '[a]: b "', 'x\n', ''],
  ['markdown', '', 'a\n===\n', ''],
  ['markdown', '|a\n', ' ', 'a'],
  ['xliff', `${BEFORE}<source>a`, '\u0301\u0316', `</source>${AFTER}`],
];

describe('the time of reading and filling in a file is proportional to its length', () => {
  it.each(FILES)('%s: %j, %j, … %j', async (format, before, piece, after) => {
    const work = await workWithFile(format);
    expectLinear({ name: format, work, textOf: textsOf(before, piece, after) }, MAX_FILE_SIZE);
  });

  it.each(SOURCE_FORMATS)('%s, with one thing for each of many others', async (format) => {
    for (const crossing of await crossingsOf(format)) expectLinear(crossing);
  });
});

/** Translations that a translator may write, by the file that they are filled into. */
const TRANSLATIONS: readonly (readonly [
  format: SourceFormat,
  file: string,
  before: string,
  piece: string,
  after: string,
])[] = [
  ['markdown', 'Hello', 'a', ' ', 'a'],
  ['markdown', '# Hello', 'a', ' ', 'a'],
  ['markdown', 'Hello', '', '[a](', ''],
  ['markdown', 'Hello', '', '>', 'a'],
  ['html', '<p>Hello <b>you</b></p>', '', '<!--', '\u0001-->'],
  ['html', '<p>Hello <script>a & b</script> {{ c }} &copy</p>', '', '{{ <% <? &copy', 'a'],
  ['android', '<resources><string name="a">Hello <b>you</b></string></resources>', '', '<!--', '\u0001-->'],
  ['gettext', 'msgid "Hello"\nmsgstr ""\n', 'a', ' ', 'a'],
  ['json', '{"a": "Hello {name} %s"}', '', '%1$ {{ ${ {% ', 'a'],
  ['json', '{"a": "Hello {name} <b>you</b>"}', '', '<b alt="a" ', '>'],
  ['json', '{"a": "Hello {name} <b>you</b>"}', '', '<b> ', 'a'],
  ['json', '{"a": "{n, plural, one {#} other {# of {x}}}"}', '', '{n, plural, other {', 'a'],
  ['json', '{"a": "{n, plural, one {#} other {# of {x}}}"}', '{n, plural, other {', "# {x} '{' ", '}}'],
];

describe('the time of filling in a translation is proportional to its length', () => {
  it.each(TRANSLATIONS)('%s: %j, %j, %j, … %j', async (format, file, before, piece, after) => {
    const work = await workWithTranslation(format, file);
    expectLinear({ name: format, work, textOf: textsOf(before, piece, after) });
  });
});

describe('the time of an export and its import is proportional to the length of a text', () => {
  it.each([
    ['xliff', '<!--', '\u0001-->'],
    ['xliff2', '<b>', '</b>'],
    ['json', '<b> ', '</b>'],
    ['json', '{a} %s ', ''],
    ['json', '<img alt="a" ', '>'],
    ['json', '{n, plural, other {', '}}'],
    ['json', '{n, plural, other {#}} ', ''],
    ['gettext', '\n', 'a'],
    ['csv', '"', 'a'],
    ['csv', "'", 'a'],
    ['csv', '1', 'a'],
    ['csv', '1 ', 'a'],
    ['json', '\\', 'a'],
  ] as const)('%s: %j … %j', async (format, piece, after) => {
    expectLinear({ name: format, work: await workWithExport(format), textOf: textsOf('', piece, after) });
  });
});

const LONG = 'a'.repeat(1_001);

describe('a file has a fault where it would cost more than its length', () => {
  it.each<readonly [name: string, SourceFormat, text: string, place: object]>([
    ['deep JSON', 'json', `${'['.repeat(129)}"a"${']'.repeat(129)}`, { line: 1, column: 130 }],
    ['long keys of JSON', 'json', `{"a": "b",\n"${LONG}": ["b"]}`, { line: 2, column: 1_007 }],
    ['deep Markdown', 'markdown', `a\n\n${'> '.repeat(129)}a`, { line: 3 }],
    [
      'long keys of .stringsdict',
      'stringsdict',
      `<plist><dict>\n<key>${LONG}</key><string>b</string></dict></plist>`,
      { line: 2, column: 1_013 },
    ],
    [
      'a long name in Android',
      'android',
      `<resources><plurals name="${LONG}">\n<item>b</item></plurals></resources>`,
      { line: 2, column: 1 },
    ],
    ['many forms of gettext', 'gettext', `msgid "a"\nmsgid_plural "b"\n${'msgstr[0] ""\n'.repeat(101)}`, { line: 103 }],
    [
      'long codes of XLIFF',
      'xliff',
      `${BEFORE}<source><ph id="1">${LONG}</ph>${'<ph id="1"/>'.repeat(4_200)}</source>${AFTER}`,
      { line: 1, column: 93 },
    ],
  ])('%s', async (_, format, text, place) => {
    const { texts } = await loadSourceCodec(format);
    expect(() => texts(Buffer.from(text), 'en')).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ code: 'too-large', place })] }),
    );
  });

  it.each([
    ['gettext', `msgid ""\nmsgstr "Language: ${LONG}\\n"\n\nmsgid "a"\nmsgstr ""\n`],
    ['xliff', `${BEFORE.replace('original', `target-language="${LONG}" original`)}<source>a</source>${AFTER}`],
  ] as const)('the language of %s', async (format, text) => {
    const { texts } = await loadSourceCodec(format);
    expect(() => texts(Buffer.from(text))).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ code: 'wrong-language' })] }),
    );
  });

  it('a far column of CSV', async () => {
    const { fill } = await loadSourceCodec('csv');
    const file = Buffer.from(`en-GB${','.repeat(1_000)}de\na\n`);
    expect(() => fill(file, fileOf([]))).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ code: 'too-large', place: { line: 1 } })] }),
    );
  });
});

it.each([
  ['json', '{"a": "', '\\n', '"}'],
  ['apple-strings', '"a" = "', '\\n', '";'],
] as const)('a text in %s may have millions of escapes', async (format, before, piece, after) => {
  const { texts } = await loadSourceCodec(format);
  const [text] = texts(Buffer.from(textsOf(`${before}a`, piece, after)(8_000_000))).texts;
  expect(text?.content).toHaveLength(4_000_001);
});
