import { describe, expect, it } from 'vitest';
import { loadCodec, loadSourceCodec } from '../codecs.ts';
import { planImport } from '../plan-import.ts';
import { SOURCE_FORMATS, type SourceFormat } from '../source-file.ts';
import type { FileSegment } from '../translation-file.ts';
import { fileOf, translated } from './files.ts';
import { fill } from './source-files.ts';

/** Exports segments, writes translations of them into the file, and returns the warnings of its import. */
async function warningsOf(segments: readonly Partial<FileSegment>[], translations: readonly string[]) {
  const { read, write } = await loadCodec('json');
  const parsed = read(write(fileOf(segments)));
  const entries = parsed.entries.map((entry, index) => ({ ...entry, content: translations[index] ?? '' }));
  const { changes, faults, warnings } = planImport({ ...parsed, entries }, [fileOf(segments)]);
  expect(faults).toEqual([]);
  expect(changes).toHaveLength(translations.length);
  return warnings.map(({ code, detail }) => `${code} ${/: (".*")$/s.exec(detail)?.[1]}`);
}

describe('an import warns of a translation that lacks', () => {
  it.each([
    ['{{ n }}', 'You have {{ n }} new', 'Sie haben neue'],
    ['{n}', 'You have {n} new', 'Sie haben {m} neue'],
    ['%1$s', 'Sent to %1$s by %2$s', 'Von %2$s gesandt'],
    ['%s', 'Sent to %s', 'Gesandt an %d'],
    ['%s', 'Sent %s to %s', 'Gesandt an %s'],
    ['%s', 'Sent %s to %s', 'Gesandt an %1$s, ja %1$s'],
    ['%@', 'Hello %@', 'Hallo %'],
    ['{% x %}', 'Go {% x %} home', 'Nach Hause'],
    ['\x24{x}', 'Go \x24{x} home', 'Nach {x} Hause'],
    ['%(name)s', 'Hello %(name)s', 'Hallo %(Name)s'],
    ['%{name}', 'Hello %{name}', 'Hallo % {name}'],
    ['$t(key)', 'Go $t(key)', 'Geh'],
    ['<%= x %>', 'Go <%= x %>', 'Geh'],
    ['<0>', 'Go <0>home</0>', 'Geh heim</0>'],
    ['{price, number}', 'At {price, number}', 'Zu {price}'],
    ['{n, plural, …}', '{n, plural, one {# file} other {# files}}', 'Dateien'],
    ['{n, plural, …}', '{n, plural, one {# file} other {# files}}', '{n, plural, one {Datei} other {#}'],
    ['#', '{n, plural, one {# file} other {# files}}', '{n, plural, one {Datei} other {Dateien}}'],
    ['{who}', '{n, plural, one {# of {who}} other {# of {who}}}', '{n, plural, one {#} other {#}}'],
    ['{n, select, …}', '{n, select, a {x} other {y}} is', '{m, select, a {x} other {y}} ist'],
  ])('the placeholder %s', async (placeholder, content, translation) => {
    expect(await warningsOf([{ content }], [translation])).toEqual([`placeholder-lost ${JSON.stringify(placeholder)}`]);
  });

  it.each([
    ['<i>', '<b>%1$s</b> &amp; %2$d', '<b>%1$s</b> &amp; %2$d <i>'],
    ['<i>', '<b>Go</b>', '<b>Geh</b> <i>'],
    ['</i>', '<b>Go</b>', '<b>Geh</b></i>'],
    ['</b>', '<b>Go</b> <i>on</i>', '<b>Geh <i>wei</b>ter</i>'],
    ['<Bold>', 'Go<br/>on', 'Geh <Bold>weiter<br/>'],
  ])('the partner of the tag %s', async (tag, content, translation) => {
    expect(await warningsOf([{ content }], [translation])).toEqual([`unpaired-tag ${JSON.stringify(tag)}`]);
  });

  it.each([
    ['Go <b>on', 'Geh <i>weiter <b>'],
    ['Go on', 'Geh <i> weiter'],
    ['Go<br>on', 'Geh<br>wei<br>ter <img src="a">'],
    ['<b>1</b> or 2', '<b>1</b> < 2'],
    ['<b>Go</b>', '<b>Geh</b><!-- <i> -->'],
    ['Use <code>&lt;i&gt;</code>', 'Nutze `<i>`'],
  ])('no partner in %s: %s', async (content, translation) => {
    expect(await warningsOf([{ content }], [translation])).toEqual([]);
  });

  it.each([
    ['<b> </b>', 'Go <b>now</b>', 'Geh jetzt'],
    ['<b> </b>', 'Go <b>now</b>', 'Geh <i>jetzt</i>'],
    ['</b>', 'Go <b>now</b>', 'Geh <b>jetzt'],
    ['<Bold> </Bold>', 'Go <Bold>now</Bold>', 'Geh <bold>jetzt</bold>'],
    ['<a href="/en">', 'Go <a href="/en">home</a>', 'Geh <a href="/de">heim</a>'],
    ['<br>', 'One<br>two', 'Eins zwei'],
    ['<!-- a -->', 'One <!-- a --> two', 'Eins zwei'],
    ['<code>npm ci</code>', 'Run <code>npm ci</code>', 'Nutze <code>npm install</code>'],
    ['<a href="/d">', 'See <a href="/d">docs</a>', 'Siehe Doku <a href="/d"> </a>'],
    ['<x id="1"/>', 'Run <x id="1"/>', 'Nutze'],
  ])('the markup %s', async (markup, content, translation) => {
    expect(await warningsOf([{ content }], [translation])).toEqual([`markup-lost ${JSON.stringify(markup)}`]);
  });

  it('both', async () => {
    const warnings = await warningsOf([{ content: 'Hello <b>{name}</b>' }], ['Hallo']);
    expect(warnings).toEqual(['markup-lost "<b> </b>"', 'placeholder-lost "{name}"']);
  });
});

describe('no warning is for', () => {
  it.each([
    ['another order', '{a} and {b} of <b>c</b>', '<b>C</b>: {b} und {a}'],
    ['positions in another order', 'From %s to %d', 'Zu %2$d von %1$s'],
    ['positions that are no longer needed', 'To %1$s by %2$s', 'An %s von %s'],
    ['more of them', 'Hello {name}', 'Hallo {name}, <b>{name}</b>'],
    ['other white space in a placeholder', 'Hello {{name}}', 'Hallo {{ name }}'],
    ['other white space in a tag', 'One<br>two <img src="a">', 'Eins<br />zwei <img  src = "a"/>'],
    ['other quotes in a tag', "See <a href='a'>x</a>", 'Siehe <a href="a">x</a>'],
    ['attributes that people read', 'A <img src="a" alt="dog">', 'Ein <img src="a" alt="großer Hund">'],
    ['an element that is empty in the text too', '<i class="a"></i> Hello <b></b>', '<b>Hallo</b> <i class="a"></i>'],
    ['a picture without its text', 'A <picture src="a">dog</picture>', 'Ein <picture src="a"></picture>'],
    ['character references', 'Tom&nbsp;&amp; &quot;Jerry&quot; <b>x</b>', 'Tom und „Jerry“ <b>x</b>'],
    ['other plural forms', '{n, plural, one {# file} other {# files}}', '{n, plural, other {#個}}'],
    ['more plural forms', '{n, plural, =0 {no} other {<b>#</b>}}', '{n, plural, few {<b>#</b>} other {<b>#</b>}}'],
    ['a form without the number', '{n, plural, one {# file} other {# files}}', '{n, plural, one {a} other {#}}'],
    ['an argument in place of a plural', '{n, plural, one {# file} other {# files}}', '{n}個のファイル'],
    ['a plural in place of an argument', 'Files: {n}', '{n, plural, one {#} other {#}}'],
    ['quoted syntax', "{n, plural, other {#}} of '{x}'", '{n, plural, other {#}} von x'],
    ['text that looks like a placeholder', '50% discount: a < b & c', 'Rabatt: a und c'],
    ['a sign that is text', '{n, plural, other {x}} is #1', '{n, plural, other {x}} ist Nr. 1'],
    ['code that is written as Markdown', 'Run <code>a &lt; b</code>', 'Nutze `a < b`'],
    ['an expression that is written as Markdown', 'Hi <var>{name}</var>', 'Hallo {name}'],
    ['a link that is written as Markdown', 'See <a href="/d" title="T">docs</a>', 'Siehe [Doku](/d "T")'],
    ['a picture that is written as Markdown', 'A <picture src="/a.png">dog</picture>', 'Ein ![Hund](/a.png)'],
    ['a line break that is written as Markdown', 'One<br>two', 'Eins\\\nzwei'],
  ])('%s', async (_, content, translation) => {
    expect(await warningsOf([{ content }], [translation])).toEqual([]);
  });

  it.each([
    ['files_one', 'files_other', '{{count}} files in {{place}}', 'Datei in {{place}}'],
    ['files.zero', 'files.other', '%1$d files of %2$s', 'Keine Datei von %2$s'],
    ['a.two', 'a.few', '%d files', 'ملفان'],
    ['one', 'other', '{n} files', 'Datei'],
  ])('the number of the plural form %s', async (customId, other, content, translation) => {
    const segments = [
      { customId, content },
      { customId: other, content },
    ];
    const [isNone, ...rest] = [
      await warningsOf(segments, [translation, content]),
      await warningsOf(segments, [content, translation]),
    ];
    expect(isNone).toEqual([]);
    expect(rest).toEqual([[expect.stringMatching(/^placeholder-lost /)]]);
    expect(await warningsOf(segments.slice(0, 1), [translation])).toHaveLength(1);
  });
});

it('a plural form may lack only its number', async () => {
  const segments = ['files_one', 'files_other'].map((customId) => ({ customId, content: '%d files of %s' }));
  expect(await warningsOf(segments, ['%d Datei', 'x'])).toEqual(['placeholder-lost "%s"', 'placeholder-lost "%d %s"']);
});

it('a warning names the language and the segment, and shows a long part in short', async () => {
  const segments = [{ customId: 'home.title', content: `Go <a title="${'a'.repeat(500)}" href="${'b'.repeat(500)}">` }];
  const { read, write } = await loadCodec('csv');
  const parsed = read(write(fileOf(segments)));
  const entries = parsed.entries.map((entry) => ({ ...entry, content: 'Geh' }));
  const { warnings } = planImport({ ...parsed, entries }, [fileOf(segments)]);
  const shown = `<a title="${'a'.repeat(110)}…`;
  const detail = `In de-DE, segment 1 "home.title" has markup that the translation lacks: ${JSON.stringify(shown)}`;
  expect(warnings).toEqual([{ place: { line: 2 }, code: 'markup-lost', detail }]);
});

/** A file of each format with a text that has a tag and a placeholder. */
const FILES: Readonly<Record<SourceFormat, string>> = {
  android: '<resources><string name="a">Hello <b>big</b> %1$s</string></resources>',
  'apple-strings': '"a" = "Hello <b>big</b> %1$s";\n',
  csv: 'key,en\na,Hello <b>big</b> %1$s\n',
  gettext: 'msgid "Hello <b>big</b> %1$s"\nmsgstr ""\n',
  html: '<p>Hello <b>big</b> %1$s</p>\n',
  json: '{"a": "Hello <b>big</b> %1$s"}',
  markdown: '<p>Hello <b>big</b> %1$s</p>\n',
  stringsdict:
    '<plist><dict><key>a</key><dict><key>other</key><string>Hello &lt;b>big&lt;/b> %1$s</string></dict></dict></plist>',
  xliff:
    '<xliff version="1.2"><file source-language="en"><body><trans-unit id="1"><source>Hello &lt;b>big&lt;/b> <ph id="1">%1$s</ph></source></trans-unit></body></file></xliff>',
  xliff2:
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en"><file id="f"><unit id="1"><segment><source>Hello &lt;b>big&lt;/b> %1$s</source></segment></unit></file></xliff>',
};

describe('filling in a file warns of what a translation lacks, and writes it', () => {
  it.each(SOURCE_FORMATS)('%s', async (format) => {
    const lost = await fill(format, FILES[format], () => 'Hallo');
    expect(lost).toMatchObject({ filled: 1, skipped: [], text: expect.stringContaining('Hallo') });
    expect(lost.warnings.map(({ code, detail }) => `${code}${detail.slice(detail.indexOf(':'))}`)).toEqual([
      'markup-lost: "<b> </b>"',
      'placeholder-lost: "%1$s"',
    ]);
    const [warning] = lost.warnings;
    expect(warning?.detail).toMatch(/^In de-DE, segment 1 /);
    const kept = await fill(format, FILES[format], () => '%s <b>große</b> Hallo');
    expect(kept).toMatchObject({ filled: 1, skipped: [], warnings: [] });
  });

  it('also if the file has it already', async () => {
    const { text } = await fill('gettext', FILES.gettext, () => 'Hallo');
    expect(await fill('gettext', text, () => 'Hallo')).toMatchObject({ filled: 0, warnings: [{}, {}] });
    const xliff = await fill('xliff', FILES.xliff, () => 'Hallo');
    expect(await fill('xliff', xliff.text, () => 'Hallo')).toMatchObject({ filled: 0, warnings: [{}, {}] });
  });

  it('but not if code is only written as Markdown in Markdown', async () => {
    const translation = 'Nutze `npm ci` für {name} und %s';
    const markdown = await fill('markdown', 'Run `npm ci` for {name} and %s\n', () => translation);
    expect(markdown).toMatchObject({ text: `${translation}\n`, warnings: [], skipped: [] });
    const lost = await fill('markdown', 'Run `npm ci` for {name} and %s\n', () => 'Nutze `npm ci` für {name}');
    expect(lost).toMatchObject({ filled: 1, warnings: [{ code: 'placeholder-lost' }], skipped: [] });
    const page = '<p>Run <code>npm ci</code></p>\n';
    const html = await fill('html', page, () => 'Nutze `npm ci`');
    expect(html).toMatchObject({ filled: 1, warnings: [{ code: 'markup-lost' }] });
  });

  it('but not if a singular leaves out the number', async () => {
    const words = ['Eine Datei', 'Dateien'];
    const { text, warnings } = await fill('gettext', PO, (_, index) => words[index] ?? '');
    expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining('segment 2 ')]);
    const { texts, read } = await loadCodec('gettext');
    const segments = texts(Buffer.from(PO)).texts.map(({ content }) => ({ content }));
    const imported = planImport(read(text), [fileOf(segments)], { languageCode: 'de-DE' });
    expect(imported).toMatchObject({ changes: [{}, {}], faults: [], warnings });
    const android =
      '<resources><plurals name="a"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals></resources>';
    const filled = await fill('android', android, (_, index) => words[index] ?? '');
    expect(filled.warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining('"a.other"')]);
  });
});

const PO = `msgid ""
msgstr "Language: de\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
`;

it('filling in a text that equals its source warns of nothing, whatever the text has', async () => {
  for (const format of SOURCE_FORMATS) {
    const codec = await loadSourceCodec(format);
    const bytes = Buffer.from(FILES[format]);
    const segments = codec.texts(bytes, 'en').texts.map(({ customId, content }) => {
      return { customId, content, translation: translated(content) };
    });
    const file = fileOf(segments);
    const filled = codec.fill(bytes, { ...file, project: { ...file.project, sourceLanguageCode: 'en' } });
    expect(filled.warnings).toEqual([]);
  }
});
