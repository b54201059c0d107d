import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadCodec } from '../codecs.ts';
import type { FilledFile, FillRules } from '../fill.ts';
import { planImport } from '../plan-import.ts';
import type { FileFormat, FileSegment, FileTranslation } from '../translation-file.ts';
import { fileOf, files, translated } from './files.ts';

/** Fills segments into a file. */
async function fill(
  format: FileFormat,
  text: string | Uint8Array,
  segments: readonly Partial<FileSegment>[],
  rules?: FillRules,
) {
  const codec = await loadCodec(format);
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const filled = codec.fill?.(bytes, fileOf(segments), rules);
  if (!filled) throw new Error('The format has no files to fill');
  return filled;
}
const textIn = ({ file }: FilledFile) => Buffer.from(file).toString();

/** A file as tools write it, with everything that an XML parser could lose. */
const XLIFF = `\ufeff<?xml version='1.0' encoding="utf-8" standalone="yes"?>\r
<!-- made by hand -->\r
<?tool keep="this"?>\r
<xliff xmlns:okp='okapi-framework:xliff-extensions'  version = "1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\r
 <file original="app/strings.json" source-language='en' target-language="de" datatype="x-json" okp:x="1">\r
  <header><skl><external-file href="a.skl"/></skl><tool tool-id="t" tool-name="T &amp; U" /></header>\r
  <body>\r
   <group id="g1">\r
    <trans-unit id="1" resname="greeting" approved='yes' maxbytes="40">\r
     <source xml:lang="en">Hello, <g id="1" ctype="bold">world</g> &#38; <![CDATA[<you>]]>!</source>\r
     <target xml:lang="de" state='translated' state-qualifier="exact-match">Hallo</target>\r
     <alt-trans match-quality="80"><source>Hello</source><target state="new">Hi</target></alt-trans>\r
     <note from="dev" priority="2"><!-- why --> Be  kind</note>\r
    </trans-unit>\r
    <trans-unit id="2"><source>Files: <ph id="1">{0}</ph></source><target/></trans-unit>\r
    <trans-unit id="3" translate="no"><source>Segue</source></trans-unit>\r
    <trans-unit id="4">\r
     <source>Last</source>\r
    </trans-unit>\r
   </group>\r
  </body>\r
 </file>\r
</xliff>\r
<!-- end -->`;

describe('filling an XLIFF 1.2 file', () => {
  const greeting = 'Hello, <g id="1" ctype="bold">world</g> & <you>!';
  const segments = [
    {
      customId: 'greeting',
      content: greeting,
      translation: translated('Hallo, <g id="1" ctype="bold">Welt</g> & <du>!', 'draft'),
    },
    { content: 'Files: {0}', translation: translated('{0} Dateien & <mehr>', 'proofread') },
    { customId: '4', content: 'Last', translation: translated('Letzter', 'automatic') },
  ];

  it('changes only targets and states, and nothing when it is filled again', async () => {
    const filled = await fill('xliff', XLIFF, segments, { reopen: true });
    expect(filled).toMatchObject({ filled: 3, skipped: [] });
    const expected = XLIFF.replace("approved='yes'", "approved='no'")
      .replace(
        `state='translated' state-qualifier="exact-match">Hallo<`,
        `state='needs-translation'>Hallo, <g id="1" ctype="bold">Welt</g> &amp; &lt;du&gt;!<`,
      )
      .replace('<trans-unit id="2">', '<trans-unit id="2" approved="yes">')
      .replace('<target/>', '<target state="signed-off"><ph id="1">{0}</ph> Dateien &amp; &lt;mehr&gt;</target>')
      .replace(
        '<source>Last</source>',
        '<source>Last</source>\r\n     <target state="needs-review-translation" state-qualifier="mt-suggestion">Letzter</target>',
      );
    expect(textIn(filled)).toBe(expected);
    expect(textIn(await fill('xliff', filled.file, segments))).toBe(expected);
  });

  it('keeps UTF-16 and other encodings', async () => {
    const utf16 = Buffer.from(XLIFF, 'utf16le');
    const { file } = await fill('xliff', utf16, segments);
    expect(Buffer.from(file).toString('utf16le')).toContain('Letzter');
    const latin = Buffer.from(XLIFF.slice(1).replace('utf-8', 'windows-1252').replace('Last', 'Last\xe9'), 'latin1');
    const filled = await fill('xliff', latin, [{ content: 'Lasté', translation: translated('„é“') }]);
    expect(Buffer.from(filled.file).toString('latin1')).toContain('>\x84\xe9\x93</target>');
  });

  it('leaves out what it cannot fill, and says why', async () => {
    const divided = XLIFF.replace(
      '<source>Last</source>',
      '<source>Last</source><seg-source><mrk mtype="seg" mid="1">La</mrk><mrk mtype="seg" mid="2">st</mrk></seg-source>',
    );
    const [first, second, last] = segments;
    const filled = await fill('xliff', divided, [
      { ...first, translation: translated('</g>Hallo<g id="1" ctype="bold">', 'proofread') },
      { ...second, content: 'Other' },
      { ...last },
    ]);
    expect(filled.skipped).toEqual([
      {
        place: { line: 9, column: 5 },
        reason: 'codes',
        detail: 'In de-DE, segment 1 "greeting" has markup that the translation lacks: "<you>"',
      },
      { place: { line: 15, column: 5 }, reason: 'unknown-segment' },
      { place: { line: 17, column: 5 }, reason: 'divided' },
    ]);
    expect(textIn(filled)).toBe(divided);
  });

  it('refuses a file in another language', async () => {
    await expect(
      fill('xliff', XLIFF.replace('target-language="de"', 'target-language="fr"'), segments),
    ).rejects.toThrow('The file has translations into fr, not into de-DE.');
  });
});

const SAME_NAME = ['tu1', 'tu2', 'tu3'] as const;
describe.each([
  [
    'xliff',
    'resname',
    (units: string) =>
      `<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body>${units}</body></file></xliff>`,
    (id: string, source: string, target: string) =>
      `<trans-unit id="${id}" resname="label"><source>${source}</source>${target}</trans-unit>`,
  ],
  [
    'xliff2',
    'name',
    (units: string) =>
      `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="de"><file id="f">${units}</file></xliff>`,
    (id: string, source: string, target: string) =>
      `<unit id="${id}" name="label"><segment><source>${source}</source>${target}</segment></unit>`,
  ],
] as const)('units of %s with the same %s and text', (format, _, file, unit) => {
  const sources = ['Open', 'Open', 'Closed'];
  const fileWith = (targets: readonly string[]) =>
    file(SAME_NAME.map((id, index) => unit(id, sources[index] ?? '', targets[index] ?? '')).join('\n'));
  const segments = sources.map((content) => ({ customId: 'label', content }));

  it('are filled in their order', async () => {
    const texts = ['Öffnen', 'Offen', 'Zu'];
    const translations = segments.map((each, index) => ({ ...each, translation: translated(texts[index] ?? '') }));
    const filled = await fill(format, fileWith([]), translations);
    expect(filled).toMatchObject({ filled: 3, skipped: [] });
    expect(textIn(filled).match(/(?<=<target[^>]*>)[^<]+/g)).toEqual(texts);
  });

  it('are imported in their order', async () => {
    const { read } = await loadCodec(format);
    const parsed = read(fileWith(['<target>Öffnen</target>', '<target>Offen</target>']));
    const { changes, faults } = planImport(parsed, [fileOf(segments)], { languageCode: 'de-DE' });
    expect(faults).toEqual([]);
    expect(changes.map(({ segmentId, content }) => [segmentId, content])).toEqual([
      [1, 'Öffnen'],
      [2, 'Offen'],
    ]);
  });

  it('need as many segments', async () => {
    const filled = await fill(format, fileWith([]), segments.toSpliced(1, 0, { customId: 'label', content: 'Open' }));
    expect(filled.skipped.map(({ reason }) => reason)).toEqual(['unknown-segment', 'unknown-segment']);
  });
});

describe('filling an equal text into an XLIFF 1.2 file', () => {
  const file = (attributes: string, unit = '') =>
    `<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body><trans-unit id="1"${unit}><source>One</source><target${attributes}>E&#105;ns</target></trans-unit></body></file></xliff>`;
  const filledWith = async (text: string, status: FileTranslation['status']) =>
    textIn(await fill('xliff', text, [{ content: 'One', translation: translated('Eins', status) }]));

  it.each([
    [' state-qualifier="leveraged-inherited"', 'translated'],
    [' state-qualifier="leveraged-inherited"', 'automatic'],
    [' state="needs-review-translation" state-qualifier="exact-match"', 'draft'],
    [' state="needs-adaptation" state-qualifier="leveraged-mt"', 'pretranslated'],
    [' state="final" state-qualifier="id-match"', 'translated'],
    [' state="done"', 'automatic'],
  ] as const)('keeps the place byte for byte: %s, %s', async (attributes, status) => {
    expect(await filledWith(file(attributes), status)).toBe(file(attributes));
  });

  it('finishes the state, and keeps its qualifier and the spelling of the text', async () => {
    const text = file(' state="needs-review-translation" state-qualifier="leveraged-inherited"');
    expect(await filledWith(text, 'proofread')).toBe(
      file(' state="signed-off" state-qualifier="leveraged-inherited"', ' approved="yes"'),
    );
  });
});

it('filling an equal text into an XLIFF 2 file keeps an unfinished state', async () => {
  const text = XLIFF_2.replace(/<unit id="a".*?<\/unit>/s, '').replace(
    '<segment><source>Bye</source><target order="1">alt',
    '<segment state="initial" subState="x:y"><source>Bye</source><target><mrk id="1">Tsch&#252;ß</mrk>',
  );
  const filled = await fill('xliff2', text, [{ content: 'Bye', translation: translated('Tschüß', 'automatic') }]);
  expect(textIn(filled)).toBe(text);
  const finished = await fill('xliff2', text, [{ content: 'Bye', translation: translated('Tschüß') }]);
  expect(textIn(finished)).toBe(
    text
      .replace(' state="initial" subState="x:y"', ' state="translated"')
      .replace('srcLang="en">', 'srcLang="en" trgLang="de-DE">'),
  );
});

it('a code without markup is copied in an XLIFF 1.2 file, and never becomes text', async () => {
  const content = 'Hi <x id="1"/>';
  const one = file1(`<source>${content}</source>`);
  const twice = [{ content, translation: translated('<x id="1"/> <x id="1"/>') }];
  expect(textIn(await fill('xliff', one, twice))).toContain('<x id="1"/> <x id="1"/></target>');
  const two = XLIFF_2.replace(/<unit id="a".*?<\/unit>/s, '').replace('Bye', 'Bye <ph id="1"/>');
  const copies = [{ content: 'Bye <ph id="1"/>', translation: translated('<ph id="1"/><ph id="1"/>') }];
  expect(await fill('xliff2', two, copies)).toMatchObject({ filled: 0, skipped: [{ reason: 'codes' }] });
});

const file1 = (unit: string) =>
  `<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body><trans-unit id="1">${unit}</trans-unit></body></file></xliff>`;

it('an XLIFF file is filled in although it has a code that the source lacks, or an unknown state', async () => {
  const text = file1('<source>One</source><target state="done">E<x id="9"/></target>');
  const filled = await fill('xliff', text, [{ content: 'One', translation: translated('Eins') }]);
  expect(textIn(filled)).toContain('<target state="translated">Eins</target>');
});

const file2 = (unit: string, attributes = '') =>
  `<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f"${attributes}>${unit}</file></xliff>`;
const unit2 = (source: string) => file2(`<unit id="1"><segment><source>${source}</source></segment></unit>`);
const ACME = '<mrk translate="no">Acme &amp; Co</mrk>';

describe('text of XLIFF that its file protects', () => {
  it.each<[FileFormat, string, content: string]>([
    ['xliff', file1('<source>Buy <mrk mtype="protected">Acme &amp; Co</mrk> now</source>'), `Buy ${ACME} now`],
    [
      'xliff',
      file1('<source><mrk mtype="protected" mid="1">A</mrk> <mrk mtype="protected" mid="2">B</mrk></source>'),
      '<mrk translate="no">A</mrk> <mrk translate="no">B</mrk>',
    ],
    [
      'xliff',
      file1('<source><mrk mtype="protected">A<ph id="1">{0}</ph></mrk>: <mrk mtype="protected">B</mrk> x</source>'),
      '<mrk translate="no">A<ph id="1">{0}</ph></mrk>: <mrk translate="no">B</mrk> x',
    ],
    ['xliff2', unit2('Buy <mrk id="m" type="term" translate="no">Acme &amp; Co</mrk> now'), `Buy ${ACME} now`],
    ['xliff2', unit2('Buy <sm id="m" translate="no"/>Acme &amp; Co<em startRef="m"/> now'), `Buy ${ACME} now`],
    [
      'xliff2',
      unit2(
        'Buy <pc id="1">the <sm id="m" translate="no"/>Acme</pc> Co<em startRef="m"/> <sm id="n"/>now<em startRef="n"/>',
      ),
      'Buy <pc id="1">the <mrk translate="no">Acme</mrk></pc><mrk translate="no"> Co</mrk> now',
    ],
    [
      'xliff2',
      unit2('Buy <sm id="m" translate="no"/>Acme <pc id="1">Co<em startRef="m"/> too</pc> now'),
      'Buy <mrk translate="no">Acme <pc id="1">Co<em startRef="m"/> too</pc></mrk> now',
    ],
  ])('is a code that stands for itself: %s %s', async (format, text, content) => {
    const codec = await loadCodec(format);
    expect(codec.texts(Buffer.from(text)).texts).toMatchObject([{ content }]);
    const [, source = ''] = /<source>(.*)<\/source>/.exec(text) ?? [];
    const translation = content.replace('Buy', 'Kauf').replace('now', 'jetzt');
    const filled = await fill(format, text, [{ content, translation: translated(translation) }]);
    expect(filled).toMatchObject({ filled: 1, skipped: [] });
    const target = source.replace('Buy', 'Kauf').replace(/<sm id="n"\/>now.*|now/, 'jetzt');
    expect(textIn(filled)).toContain(`>${target}</target>`);
    // The filled file reads back as it was filled.
    expect(codec.read(textIn(filled))).toMatchObject({
      faults: [],
      entries: [{ source: content, content: translation }],
    });
    expect(textIn(await fill(format, filled.file, [{ content, translation: translated(translation) }]))).toBe(
      textIn(filled),
    );
  });

  it('is that of the source in a target, and a marker that the source lacks protects nothing', async () => {
    const { read } = await loadCodec('xliff2');
    const target = (inline: string) =>
      unit2('<mrk id="m" translate="no">Acme</mrk> now').replace('</source>', `</source><target>${inline}</target>`);
    const contentOf = (inline: string) => read(target(inline)).entries[0]?.content;
    expect(contentOf('jetzt <mrk id="m" translate="no">Akme</mrk>')).toBe('jetzt <mrk translate="no">Acme</mrk>');
    expect(contentOf('<mrk id="n" translate="no">jetzt</mrk> Acme')).toBe('jetzt Acme');
    expect(contentOf('<sm id="n" translate="no"/>jetzt<em startRef="n"/> Acme')).toBe('jetzt Acme');
  });

  it('has no copy in XLIFF 2, because it would need an id of its own', async () => {
    const twice = [{ content: ACME, translation: translated(`${ACME} ${ACME}`) }];
    const one = '<mrk id="m" translate="no">Acme &amp; Co</mrk>';
    expect(await fill('xliff2', unit2(one), twice)).toMatchObject({ filled: 0, skipped: [{ reason: 'codes' }] });
  });

  it('may end in another segment', async () => {
    const segments = ['A <sm id="m" translate="no"/>B', 'C', 'D<em startRef="m"/> E'].map(
      (source) => `<segment><source>${source}</source><target>${source}</target></segment>`,
    );
    const { read } = await loadCodec('xliff2');
    const content = 'A <mrk translate="no">B</mrk><mrk translate="no">C</mrk><mrk translate="no">D</mrk> E';
    expect(read(file2(`<unit id="1">${segments.join('')}</unit>`))).toMatchObject({
      faults: [],
      entries: [{ source: content, content }],
    });
  });

  it('may be all of a group or a file', async () => {
    const unit = (id: string, attributes = '') =>
      `<unit id="${id}"${attributes}><segment><source>${id}</source></segment></unit>`;
    const units = `<group id="g" translate="no">${unit('a')}${unit('b', ' translate="yes"')}</group>${unit('c')}`;
    const { texts } = await loadCodec('xliff2');
    const found = (text: string) => texts(Buffer.from(text)).texts.map(({ content }) => content);
    expect(found(file2(units))).toEqual(['b', 'c']);
    expect(found(file2(units, ' translate="no"'))).toEqual(['b']);
  });
});

it('a prefix is no part of a code without markup', async () => {
  const text = file1('<source>A <g id="1">b</g><x id="2"/></source>').replace(/<(\/?)(?=[a-z])/g, '<$1xliff:');
  const prefixed = text.replace('<xliff:xliff', '<xliff:xliff xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"');
  const { texts } = await loadCodec('xliff');
  expect(texts(Buffer.from(prefixed)).texts).toMatchObject([{ content: 'A <g id="1">b</g><x id="2"/>' }]);
  const filled = await fill('xliff', prefixed, [
    { content: 'A <g id="1">b</g><x id="2"/>', translation: translated('C<x id="2"/> <g id="1">d</g>') },
  ]);
  expect(textIn(filled)).toContain('>C<xliff:x id="2"/> <xliff:g id="1">d</xliff:g></xliff:target>');
});

const XLIFF_2 = `<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en">
 <file id="f"><unit id="a" name="greeting">
  <originalData><data id="d1">&lt;b></data><data id="d2">&lt;/b></data></originalData>
  <segment id="s" subState="x:y" state="initial"><source>Hello <pc id="1" dataRefStart="d1" dataRefEnd="d2">you</pc></source></segment>
  <ignorable><source> </source></ignorable>
 </unit>
 <unit id="b"><segment><source>Bye</source><target order="1">alt</target></segment></unit></file>
</xliff>`;

it('filling an XLIFF 2 file never swaps tags that overlap', async () => {
  const { write } = await loadCodec('xliff2');
  const content = '<i><b></i></b>';
  const text = write(fileOf([{ content: '<b><i>x</i></b>' }]));
  const { file } = await fill('xliff2', text, [{ content: '<b><i>x</i></b>', translation: translated(content) }]);
  expect((await loadCodec('xliff2')).read(file).entries).toMatchObject([{ content }]);
});

it('filling an XLIFF 2 file changes only targets, states and a missing target language', async () => {
  const one = XLIFF_2.replace('\n  <ignorable><source> </source></ignorable>', '');
  const filled = await fill(
    'xliff2',
    one,
    [
      { customId: 'greeting', content: 'Hello <b>you</b>', translation: translated('<b>Du</b>, hallo\u0001') },
      { content: 'Bye', translation: translated('Tschüß', 'pretranslated') },
    ],
    { reopen: true },
  );
  expect(textIn(filled)).toBe(
    one
      .replace('srcLang="en">', 'srcLang="en" trgLang="de-DE">')
      .replace(' subState="x:y" state="initial"', ' state="translated"')
      .replace(
        '</pc></source>',
        '</pc></source><target><pc id="1" dataRefStart="d1" dataRefEnd="d2">Du</pc>, hallo<cp hex="0001"/></target>',
      )
      .replace('<segment><source>Bye', '<segment state="initial" subState="segue:pretranslated"><source>Bye')
      .replace('>alt<', '>Tschüß<'),
  );
  const divided = await fill('xliff2', XLIFF_2, [{ content: 'Hello <b>you</b> ', translation: translated('x') }]);
  expect(divided).toMatchObject({ filled: 0, skipped: [{ reason: 'divided' }, { reason: 'unknown-segment' }] });
});

it.each<[FileFormat, string, number]>([
  [
    'xliff',
    '<xliff version="1.2"><file original="a" source-language="en" target-language="de" datatype="plaintext"><body>\n<trans-unit id="1"><source>Open file</source><target>Datei öffnen</target></trans-unit>\n<trans-unit id="2"><source>Close</source></trans-unit>\n</body></file></xliff>',
    2,
  ],
  [
    'xliff2',
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en" trgLang="de"><file id="f">\n<unit id="1"><segment state="reviewed"><source>Open file</source><target>Datei öffnen</target></segment></unit>\n<unit id="2"><segment><source>Close</source></segment></unit></file></xliff>',
    2,
  ],
  ['gettext', 'msgid "Open file"\nmsgstr "Datei öffnen"\n\nmsgid "Close"\nmsgstr ""\n', 1],
  ['csv', 'en-GB,de\nOpen file,Datei öffnen\nClose,\n', 2],
])('filling a %s file keeps finished translations, unless it may reopen them', async (format, text, line) => {
  const segments = [
    { content: 'Open file', translation: translated('Auf!', 'automatic') },
    { content: 'Close', translation: translated('Zu!', 'automatic') },
  ];
  const kept = await fill(format, text, segments);
  expect(kept).toMatchObject({ filled: 1, skipped: [{ place: { line }, reason: 'lower-status' }] });
  expect(textIn(kept)).toMatch(/Datei öffnen[\s\S]*Zu!/);
  const reopened = await fill(format, text, segments, { reopen: true });
  expect(reopened).toMatchObject({ filled: 2, skipped: [] });
  expect(textIn(reopened)).toMatch(/Auf![\s\S]*Zu!/);
  const newer = await fill(format, text, [{ content: 'Open file', translation: translated('Öffnen', 'proofread') }]);
  expect(textIn(newer)).toContain('Öffnen');
});

const PO = `# Translators
# of the world
msgid ""
msgstr "Language: de\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#. For the button
#: src/a.c:10 src/b.c:20
#, fuzzy, c-format
#| msgid "Old"
msgctxt "menu"
msgid ""
"Open "
"%s"
msgstr "alt"

msgid "10"
msgstr ""


msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] "%d Dateien"

msgid "%d day"
msgid_plural "%d days"
msgstr[0] "%d dzień"
msgstr[1] "%d dni"
msgstr[2] "%d dni"

msgid "%d hour"
msgid_plural "%d hours"
msgstr[0] ""

#~ msgid "gone"
#~ msgstr "weg"
`;

it('filling a gettext file changes only texts and the flag fuzzy', async () => {
  const filled = await fill('gettext', PO, [
    { customId: 'menu', content: 'Open %s', translation: translated('„%s“ öffnen\n', 'proofread') },
    { content: '10', translation: translated('zehn', 'automatic') },
    { content: '%d file', translation: translated('%d Akte') },
    { content: '%d files', translation: translated('%d Dateien') },
    { content: '%d day', translation: translated('%d Tag') },
    { content: '%d days' },
    { content: '%d hour', translation: translated('%d Stunde') },
    { content: '%d hours', translation: translated('%d Stunden') },
  ]);
  expect(filled).toMatchObject({
    filled: 5,
    untranslated: 0,
    skipped: [{ place: { line: 27 }, reason: 'plural' }],
  });
  expect(textIn(filled)).toBe(
    PO.replace('#, fuzzy, c-format', '#, c-format')
      .replace('msgstr "alt"', 'msgstr "„%s“ öffnen"')
      .replace('msgid "10"\nmsgstr ""', '#, fuzzy\nmsgid "10"\nmsgstr "zehn"')
      .replace('%d Datei"', '%d Akte"')
      .replace('msgstr[0] ""', 'msgstr[0] "%d Stunde"\nmsgstr[1] "%d Stunden"'),
  );
  const crlf = await fill('gettext', PO.replaceAll('\n', '\r\n'), []);
  expect(textIn(crlf)).toBe(PO.replaceAll('\n', '\r\n'));
});

it.each(['xliff', 'xliff2', 'gettext'] as const)(
  'filling a file of Segue in %s gives the newer export',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(files, files, async (older, newer) => {
        const codec = await loadCodec(format);
        const segments = older.segments.map((segment, index) => {
          const translation = newer.segments[index]?.translation ?? segment.translation;
          return { ...segment, translation: translation && { ...translation, version: 10 } };
        });
        const filled = await fill(format, codec.write(older), segments);
        expect(filled.skipped).toEqual([]);
        const [read, expected] = [codec.read(filled.file), codec.read(codec.write({ ...older, segments }))];
        const texts = ({ entries }: typeof read) => entries.map(({ content, status }) => [content, status]);
        expect(texts(read)).toEqual(texts(expected));
      }),
    );
  },
);
