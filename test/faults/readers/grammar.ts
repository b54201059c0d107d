import type { SourceFormat } from '../../../lib/client/files/source-file.ts';

/** The grammar of a format, as pieces to repeat. */
export interface Grammar {
  /** The texts before and after the place where pieces are repeated. */
  readonly contexts: readonly (readonly [before: string, after: string])[];
  readonly pieces: readonly string[];
  /** Files with texts to translate, into which repeated pieces are filled. */
  readonly files: readonly string[];
  /** Files in which two things are repeated, and one costs something for each of the other. */
  readonly crossings?: Readonly<Record<string, (times: number) => string>>;
}

/** Pieces that any format may read in a way of its own. */
const COMMON = [
  ...['a', ' ', '\t', '\n', '\r', '\r\n', '\\', '"', "'", '`', '=', ':', ';', ',', '.', '/', '|', '-', '_', '*', '#'],
  ...['&', '<', '>', '[', ']', '(', ')', '{', '}', '!', '@', '~', '%s', '1', '\u00a0', '\u2028', '\u0301\u0316', '😀'],
  ...['\0', '\u0001', '{a, plural, one {', '{0}', '\n\n', ' a', 'a ', '"a', '\\"', '""'],
];

const TAGS = [
  '<a>',
  '</a>',
  '<b>',
  '</i>',
  '<a/>',
  '<a b="c">',
  '<a b="',
  "<a b='",
  ' b="c"',
  '<!--',
  '-->',
  '<![CDATA[',
];
const XML = [
  ...TAGS,
  ']]>',
  '<?a',
  '?>',
  '<!DOCTYPE',
  '<!DOCTYPE a [',
  '&amp;',
  '&#1',
  '&#x',
  '&#13;',
  'a:',
  ' xmlns:a="b"',
];

function repeat(times: number, piece: (index: number) => string): string {
  return Array.from({ length: times }, (_, index) => piece(index)).join('');
}

const RESOURCES = ['<resources>', '</resources>'] as const;
const XLIFF_1 = 'xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"';
const FILE_1 = '<file original="a" source-language="en" target-language="de" datatype="plaintext"><body>';
const XLIFF_2 = 'xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"';
const BEFORE_1 = `<xliff ${XLIFF_1}>${FILE_1}`;
const AFTER_1 = '</body></file></xliff>';
const BEFORE_2 = `<xliff ${XLIFF_2}><file id="f">`;
const AFTER_2 = '</file></xliff>';
const UNIT_1 = '<trans-unit id="1"><source>Hello <ph id="1">{0}</ph></source><target state="new"/></trans-unit>';
const UNIT_2 = '<unit id="1"><segment state="initial"><source>Hello <ph id="1"/></source></segment></unit>';
const PLIST = ['<plist><dict>', '</dict></plist>'] as const;

const HTML_PIECES = [
  ...[
    ...TAGS,
    '<p>',
    '</p>',
    '<p>a',
    '<br>',
    '<script>',
    '</script>',
    '<pre>',
    '<b>a',
    '</b',
    '<html',
    '<html lang=',
    '<meta',
  ],
  ...[
    '<meta name="description" content="a" ',
    ' content="a"',
    ' alt="a"',
    ' class="',
    ' translate=',
    '<code>',
    '</code>',
  ],
  ...['<?php ', '?>', '<%', '<%--', '%>', '{{', '}}', '{{!--', '{%', '%}', '&copy ', '<svg>', '<iframe>', ' label=a'],
  ...['<?', '<!', ']]>', '&amp;', '&amp', '&#', '&#x', '&a', '<title>', '<textarea>', ' lang'],
];

/** The grammars of all formats. */
export const GRAMMARS: Readonly<Record<SourceFormat, Grammar>> = {
  android: {
    contexts: [
      RESOURCES,
      ['<resources><string name="a">', '</string></resources>'],
      ['<resources><string name="a"><b>a</b>', '</string></resources>'],
      ['<resources><string name="a"><![CDATA[', ']]></string></resources>'],
      ['<resources><string name="', '">a</string></resources>'],
      ['<resources><string a', '="b">a</string></resources>'],
      ['<resources><string ', '>a</string></resources>'],
      ['<resources ', '><string name="a">a <b>b</b></string></resources>'],
      ['', '<resources/>'],
      ['<resources><!--', '--></resources>'],
      ['<resources><plurals name="a">', '</plurals></resources>'],
    ],
    pieces: [
      ...[
        ...COMMON,
        ...XML,
        '<string name="a">',
        '</string>',
        '<string name="a">a</string>',
        '\\u0041',
        '\\n',
        '@string/',
      ],
      ...[
        '<string name="a">a<b>c</b></string>',
        '<string-array name="a">',
        '<plurals name="a">',
        '<plurals name="a"><item quantity="other">a</item></plurals>',
        '<item quantity="other">a</item>',
        '<!-- a -->\n',
        '<item>a</item>',
        '<item>',
      ],
    ],
    files: [
      '<resources><string name="a">Hello</string></resources>',
      '<resources><string name="a"><![CDATA[Hello]]></string></resources>',
      '<resources><string name="a">Hello <b>you</b></string></resources>',
    ],
    crossings: {
      'namespaces and strings': (times) =>
        `<resources ${repeat(times, (index) => ` xmlns:a${index}="b"`)}>${repeat(times, (index) => `<string name="s${index}">a <b>b</b></string>`)}</resources>`,
      'the name of an array and its items': (times) =>
        `<resources><string-array name="${'a'.repeat(times)}">${'<item>a</item>'.repeat(times)}</string-array></resources>`,
    },
  },
  stringsdict: {
    contexts: [
      PLIST,
      ['<plist><dict><key>a</key><string>', '</string></dict></plist>'],
      ['<plist><dict><key>', '</key><string>a</string></dict></plist>'],
      ['<plist><dict><key>a</key><dict>', '</dict></dict></plist>'],
      [
        '<plist><dict><key>a</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>',
        '</dict></dict></plist>',
      ],
      ['<plist ', '><dict><key>a</key><string>a</string></dict></plist>'],
    ],
    pieces: [
      ...COMMON,
      ...XML,
      '<key>a</key>',
      '<key>other</key>',
      '<string>a</string>',
      '<dict>',
      '</dict>',
      '<dict/>',
      '%#@',
      '%1$#@a@',
    ],
    files: ['<plist><dict><key>a</key><string>Hello</string></dict></plist>'],
    crossings: {
      'a key and the strings below it': (times) =>
        `<plist><dict><key>${'a'.repeat(times)}</key><dict>${'<key>a</key><string>b</string>'.repeat(times)}</dict></dict></plist>`,
    },
  },
  'apple-strings': {
    contexts: [
      ['', ''],
      ['"a" = "', '";'],
      ['"a"', ' = "b";'],
      ['"a" =', '"b";'],
      ['"a" = "b"', ';'],
      ['"', '" = "a";'],
      ['/*', '*/ "a" = "b";'],
      ['', '"a" = "b";'],
      ['"a" = "b";', '"c" = "d";'],
    ],
    pieces: [
      ...[
        ...COMMON,
        '/*',
        '*/',
        '//',
        '/**/',
        '/**/ ',
        '/* a */\n',
        '// a\n',
        '"a" = "b";',
        '"a";',
        'a=b;',
        '"a"',
        '"a" = ',
      ],
      ...['\\U0041', '\\101', '"\\', 'a.b', '*', '\n//', '//\r'],
    ],
    files: ['"a" = "Hello";', 'Hello;'],
  },
  gettext: {
    contexts: [
      ['', ''],
      ['msgid "a"\nmsgstr "', '"\n'],
      ['msgid "', '"\nmsgstr ""\n'],
      ['msgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\n', '\n'],
      ['#, ', '\nmsgid "a"\nmsgstr ""\n'],
      ['#. ', '\nmsgid "a"\nmsgstr ""\n'],
      ['msgid ""\nmsgstr "', '"\n\nmsgid "a"\nmsgstr "b"\n'],
      ['msgid ""\nmsgstr ""\n"Plural-Forms: ', '\\n"\n\nmsgid "a"\nmsgstr ""\n'],
      ['msgid "a"\nmsgstr "b"\n', '\nmsgid "c"\nmsgstr "d"\n'],
      [
        'msgid ""\nmsgstr "Language: ar\\nPlural-Forms: nplurals=6; plural=',
        '\\n"\n\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\n',
      ],
    ],
    pieces: [
      ...[
        ...COMMON,
        'msgid "a"\nmsgstr ""\n',
        'msgid "a"\n',
        'msgstr "a"\n',
        'msgstr[0] "a"\n',
        'msgstr[1] ""\n',
        '"a"\n',
      ],
      ...[
        'msgid_plural "b"\n',
        'msgctxt "a"\n',
        'msgid',
        '#',
        '#~',
        '#~ msgid "a"\n',
        '#| ',
        '#, fuzzy\n',
        '#. a\n',
        '#: ',
      ],
      ...['fuzzy, ', '\\n', '\\x41', '\\101', '\\v', 'nplurals', '#. segue-base: ', '"\\', '": "', 'a: b\\n'],
      ...[
        'domain "a"\n',
        'msgstr [',
        'msgid "a" msgid_plural "b" msgstr[0] ""\n',
        'n ? ',
        'n%1',
        '(n',
        '!',
        '&&',
        '1:',
      ],
    ],
    files: ['msgid "Hello"\nmsgstr ""\n', 'msgid "Hello"\nmsgid_plural "Hellos"\nmsgstr[0] ""\nmsgstr[1] ""\n'],
    crossings: {
      'the language and entries': (times) =>
        `msgid ""\nmsgstr "Language: ${'a'.repeat(times)}\\n"\n\n${repeat(times, (index) => `msgid "${index}"\nmsgstr "b"\n`)}`,
    },
  },
  xliff: {
    contexts: [
      [BEFORE_1, AFTER_1],
      [`${BEFORE_1}<trans-unit id="1">`, `</trans-unit>${AFTER_1}`],
      [`${BEFORE_1}<trans-unit id="1"><source>`, `</source><target/></trans-unit>${AFTER_1}`],
      [`${BEFORE_1}<trans-unit id="1"><source>a</source><target`, `>a</target></trans-unit>${AFTER_1}`],
      [`${BEFORE_1}<trans-unit id="1"><source>a</source><target>`, `</target></trans-unit>${AFTER_1}`],
      [`${BEFORE_1}<trans-unit id="1"><source>a</source>`, `<target/></trans-unit>${AFTER_1}`],
      [`${BEFORE_1}<trans-unit id="1"><seg-source>`, `</seg-source><source>a</source></trans-unit>${AFTER_1}`],
      [`${BEFORE_1}<trans-unit id="`, `"><source>a</source></trans-unit>${AFTER_1}`],
      [`<xliff ${XLIFF_1} `, `>${FILE_1}${UNIT_1}${AFTER_1}`],
      [`<xliff ${XLIFF_1}>`, '</xliff>'],
    ],
    pieces: [
      ...[
        ...COMMON,
        ...XML,
        '<group>',
        '</group>',
        '<trans-unit id="1">',
        '</trans-unit>',
        '<source>',
        '<source>a</source>',
      ],
      ...[
        '<g id="1">',
        '</g>',
        '<ph id="1">a</ph>',
        '<ph id="1"/>',
        '<x id="1"/>',
        '<mrk mtype="seg" mid="1">',
        '</mrk>',
      ],
      ...[
        '<bpt id="1">',
        '</bpt>',
        '<sub>',
        '</sub>',
        '<note>a</note>',
        '<target/>',
        '<target>',
        ' state="new"',
        ' state=x',
      ],
      ...[UNIT_1, `${FILE_1}</body></file>`],
    ],
    files: [
      `${BEFORE_1}${UNIT_1}${AFTER_1}`,
      `${BEFORE_1}<trans-unit id="1"><source>Hello</source></trans-unit>${AFTER_1}`,
    ],
    crossings: {
      'codes with the same id': (times) =>
        `${BEFORE_1}<trans-unit id="1"><source><ph id="1">${'a'.repeat(times)}</ph>${'<ph id="1"/>'.repeat(times)}</source></trans-unit>${AFTER_1}`,
      'codes and the text of the source': (times) =>
        `${BEFORE_1}<trans-unit id="1"><source>${repeat(times, (index) => `<ph id="${index}">{${index}}</ph>`)}${'{'.repeat(times)}</source></trans-unit>${AFTER_1}`,
      'namespaces and units': (times) =>
        `<xliff ${XLIFF_1}${repeat(times, (index) => ` xmlns:a${index}="b"`)}>${FILE_1}${repeat(times, (index) => `<trans-unit id="${index}"><source>a${index}</source></trans-unit>`)}${AFTER_1}`,
      'the language and units': (times) =>
        `<xliff ${XLIFF_1}>${FILE_1.replace('"de"', `"${'a'.repeat(times)}"`)}${repeat(times, (index) => `<trans-unit id="${index}"><source>a${index}</source><target>b</target></trans-unit>`)}${AFTER_1}`,
    },
  },
  xliff2: {
    contexts: [
      [BEFORE_2, AFTER_2],
      [`${BEFORE_2}<unit id="1">`, `</unit>${AFTER_2}`],
      [`${BEFORE_2}<unit id="1"><segment><source>`, `</source></segment></unit>${AFTER_2}`],
      [`${BEFORE_2}<unit id="1"><segment><source>a</source><target>`, `</target></segment></unit>${AFTER_2}`],
      [
        `${BEFORE_2}<unit id="1"><originalData>`,
        `</originalData><segment><source>a</source></segment></unit>${AFTER_2}`,
      ],
      [`<xliff ${XLIFF_2} `, `><file id="f">${UNIT_2}${AFTER_2}`],
    ],
    pieces: [
      ...[
        ...COMMON,
        ...XML,
        '<unit id="1">',
        '</unit>',
        '<segment>',
        '</segment>',
        '<ignorable>',
        '<source>',
        '</source>',
      ],
      ...['<pc id="1">', '</pc>', '<ph id="1"/>', '<ph id="1" dataRef="d"/>', '<data id="d">', '<data id="d">a</data>'],
      ...[
        '<cp hex="0001"/>',
        '<mrk id="1">',
        '</mrk>',
        '<segment><source>a</source><target order="2">b</target></segment>',
      ],
      ...['<group>', '</group>', '<notes><note>a</note></notes>', UNIT_2],
    ],
    files: [`${BEFORE_2}${UNIT_2}${AFTER_2}`],
    crossings: {
      'data and references to it': (times) =>
        `${BEFORE_2}<unit id="1"><originalData><data id="d">${'a'.repeat(times)}</data></originalData><segment><source>${'<ph id="1" dataRef="d"/>'.repeat(times)}</source></segment></unit>${AFTER_2}`,
    },
  },
  csv: {
    contexts: [
      ['', ''],
      ['en,de\n', ''],
      ['en,de\n"', '"\n'],
      ['en;de;key\na;', '\n'],
      ['segment,customId,language,target\n', ''],
      ['segment,source,target\n1,', ',a\n'],
    ],
    pieces: [
      ...COMMON,
      'a,b\n',
      '"a"\n',
      '"a",b\n',
      ',\n',
      ';;\n',
      '1,a,de,b\n',
      '2,b,xx,c\n',
      ',a,de,b\n',
      '"a""',
      '=1',
      "'=",
    ],
    files: ['en,de\nHello,\n', 'key;source\r\na;"Hello"\r\n'],
    crossings: {
      'columns and rows': (times) =>
        `segment,target,en${','.repeat(times)}de\n${repeat(times, (index) => `${index + 1},a,b\n`)}`,
      'columns and rows of texts': (times) => `en${','.repeat(times)}de\n${repeat(times, (index) => `a${index}\n`)}`,
      languages: (times) => `segment,target,language\n${repeat(times, (index) => `1,a,x${index}\n`)}`,
      'languages and long languages': (times) =>
        `segment,target,language\n${repeat(times, (index) => `1,a,x${'-a'.repeat(8)}${index}\n`)}`,
    },
  },
  json: {
    contexts: [
      ['', ''],
      ['{"a": "', '"}'],
      ['{"', '": "a"}'],
      ['{"a": [', ']}'],
      ['{"a": ', '}'],
      ['{"segments": [', ']}'],
      ['{"segments": [{"id": 1, "target": "', '"}]}'],
      ['[', ']'],
      ['{"a_one": "b", "a_other": "b"', '}'],
    ],
    pieces: [
      ...[
        ...COMMON,
        '"a_one": "b", "a_other": "b",',
        ', "a_other": "b"',
        '_one',
        '{"a":',
        '[',
        ']',
        '}',
        '"a",',
        '{"a": "b"},',
        '"a": "b",',
        '"@a":',
        '\\u0041',
        '\\ud83d',
        '1,',
        '-1.5e3',
        'null',
      ],
      ...[
        '{"id": 1, "target": "a"},',
        '{"customId": "a", "source": "b", "target": "c"},',
        '{"id": "a"},',
        '[[',
        '{}',
        '[],',
      ],
    ],
    files: ['{"a": "Hello"}', '{"a": ["Hello", "Hello"]}'],
    crossings: {
      'depth and texts': (times) => `${'['.repeat(times)}${'"a",'.repeat(times)}"a"${']'.repeat(times)}`,
      'a key and the texts below it': (times) => `{"${'a'.repeat(times)}": [${'"b",'.repeat(times)}"b"]}`,
    },
  },
  html: {
    contexts: [
      ['', ''],
      ['<p>', '</p>'],
      ['<p>a', '</p>'],
      ['<p title="', '">a</p>'],
      ['<meta name="description" content="a" ', '>'],
      ['<p ', '>a</p>'],
      ['<html ', '><p>a</p></html>'],
      ['<script>', '</script><p>a</p>'],
      ['<!--', '--><p>a</p>'],
      ['<p translate="no">', '</p><p>a</p>'],
    ],
    pieces: [...COMMON, ...HTML_PIECES],
    files: [
      '<p>Hello</p>',
      '<p>Hello <b>you</b></p>',
      '<p>Hello <code>a & b</code> <?= c ?> &copy</p>',
      '<img alt="Hello">',
      "<img alt='Hello'>",
    ],
  },
  markdown: {
    contexts: [
      ['', ''],
      ['a', ''],
      ['a\n', ''],
      ['# ', '\n'],
      ['| a |\n| - |\n| ', ' |\n'],
      ['| a |\n', '\n'],
      ['> ', '\n'],
      ['- ', '\n'],
      ['- [ ] ', '\n'],
      ['<div>\n', '\n</div>'],
      ['---\n', '\n---\n\na\n'],
      ['```\n', '\n```\n\na\n'],
      ['[', ']: a\n\nb'],
      ['[a]: ', '\n\nb'],
      ['`', '`'],
      ['a\n\n', '\n\nb'],
    ],
    pieces: [
      ...[
        ...COMMON,
        ...TAGS,
        '[a](',
        '[a](b)',
        '![',
        '![a](b "c")',
        '](',
        '][',
        '[a][',
        '[a]: b\n',
        '[a]:',
        '*a_',
        '**a',
        'a*',
      ],
      ...[
        '**',
        '_a',
        '~~a',
        '~~',
        '``',
        '`a',
        '```\n',
        '~~~\n',
        '    a\n',
        '>',
        '> ',
        '> a\n',
        '- ',
        '- a\n',
        '* ',
        '1. ',
        '1) a\n',
      ],
      ...[
        '  - a\n',
        '# a\n',
        '#',
        'a\n',
        'a\n===\n',
        '===\n',
        '---\n',
        '***\n',
        '| a ',
        '| - ',
        '| a | b |\n',
        '|-|\n',
        ':::\n',
      ],
      ...[
        '::: a\n',
        '[!a]',
        '[!NOTE]\n',
        '<a:',
        '<a@',
        '<a:b>',
        'www.',
        'www.a.b/',
        'http://',
        'a@b.c',
        ' www.a.b',
        '\\\n',
        '  \n',
      ],
      ...['<div>\n', '</div>\n', '<!-- a\n', '<script>', '&amp;', '&#1;', ')', '...\n', ' \t', '\t- a\n', '- [ ] a\n'],
    ],
    files: [
      'Hello',
      '# Hello',
      '| a |\n| - |\n| Hello |\n',
      '> - Hello\n>   you',
      '<p>Hello</p>',
      'Hello\n===\n',
      '- [ ] Hello',
    ],
    crossings: {
      'nested lists and blank lines': (times) => `${'- '.repeat(times)}a\n${'\n'.repeat(times)}`,
      'nested lists and lines': (times) => `${'- '.repeat(times)}a\n${'b\n'.repeat(times)}`,
      'columns and rows': (times) => `${'| a '.repeat(times)}|\n${'| - '.repeat(times)}|\n${'| b |\n'.repeat(times)}`,
    },
  },
};
