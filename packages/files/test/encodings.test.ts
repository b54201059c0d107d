import { describe, expect, it } from 'vitest';
import { loadSourceCodec } from '../codecs.ts';
import type { SourceFormat } from '../source-file.ts';
import { fileOf, translated } from './files.ts';

/** Fills a translation of each text into a file. */
async function fill(format: SourceFormat, bytes: Uint8Array, translate: (content: string) => string) {
  const { texts, fill: fillIn } = await loadSourceCodec(format);
  const segments = texts(bytes, 'en').texts.map(({ customId, content }) => {
    return { customId, content, translation: translated(translate(content)) };
  });
  return fillIn(bytes, fileOf(segments)).file;
}

async function textsIn(format: SourceFormat, bytes: Uint8Array): Promise<string[]> {
  const { texts } = await loadSourceCodec(format);
  return texts(bytes, 'en').texts.map(({ content }) => content);
}

const bytesOf = (text: string, encoding: BufferEncoding = 'latin1') => Buffer.from(text, encoding);
/** `Café €5` in windows-1252. */
const CAFE = 'Caf\xe9 \x805';

const xliff = (encoding: string, source: string) =>
  `<?xml version="1.0" encoding="${encoding}"?>\n<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body><trans-unit id="1"><source>${source}</source></trans-unit></body></file></xliff>`;
const po = (charset: string, msgid: string) =>
  `msgid ""\nmsgstr "Content-Type: text/plain; charset=${charset}\\n"\n\nmsgid "${msgid}"\nmsgstr ""\n`;

describe('a file that declares its encoding is read and written in it', () => {
  it.each<[SourceFormat, string, string]>([
    ['html', `<meta charset="windows-1252"><p>${CAFE}</p>`, `<p>\x84${CAFE}\x93 &#8594; &#129408;</p>`],
    [
      'html',
      `<META http-equiv=Content-Type content='text/html; charset=ISO-8859-1'><p>${CAFE}</p>`,
      `<p>\x84${CAFE}\x93 &#8594; &#129408;</p>`,
    ],
    ['xliff', xliff('windows-1252', CAFE), `>\x84${CAFE}\x93 &#8594; &#129408;</target>`],
    [
      'android',
      `<?xml version='1.0' encoding='cp1252'?><resources><string name="a">${CAFE}</string></resources>`,
      `>\x84${CAFE}\x93 &#8594; &#129408;</string>`,
    ],
  ])('%s: %j', async (format, text, expected) => {
    expect(await textsIn(format, bytesOf(text))).toEqual(['Café €5']);
    expect(Buffer.from(await fill(format, bytesOf(text), (content) => content)).toString('latin1')).toContain(CAFE);
    const written = await fill(format, bytesOf(text), (content) => `„${content}“ → 🦀`);
    expect(Buffer.from(written).toString('latin1')).toContain(expected);
  });

  it.each<[charset: string, hex: string, content: string, written: string]>([
    ['ISO-8859-2', 'b5f3', 'ľó', 'b5f3a3'],
    ['koi8-r', 'f0f2', 'ПР', 'f0f2f1'],
    ['Shift_JIS', '93fa967b', '日本', '93fa967b82a0'],
    ['EUC-KR', 'b0a1', '가', 'b0a1b3aa'],
    ['GBK', 'd6d0', '中', 'd6d0ce c4'],
    ['Big5', 'a4a4', '中', 'a4a4a4e5'],
  ])('gettext in %s', async (charset, hex, content, written) => {
    const bytes = bytesOf(po(charset, bytesOf(hex, 'hex').toString('latin1')));
    expect(await textsIn('gettext', bytes)).toEqual([content]);
    const decoder = new TextDecoder(charset);
    const translation = decoder.decode(bytesOf(written.replace(' ', ''), 'hex'));
    const filled = Buffer.from(await fill('gettext', bytes, () => translation));
    expect(filled.toString('hex')).toContain(written.replace(' ', ''));
    expect(decoder.decode(filled)).toContain(`msgstr "${translation}"`);
  });

  it.each([
    ['with a mark, little endian', Buffer.from('\ufeff"a" = "é";\n', 'utf16le')],
    ['with a mark, big endian', Buffer.from('\ufeff"a" = "é";\n', 'utf16le').swap16()],
    ['without a mark, little endian', Buffer.from('"a" = "é";\n', 'utf16le')],
    ['without a mark, big endian', Buffer.from('"a" = "é";\n', 'utf16le').swap16()],
  ])('.strings in UTF-16 %s', async (_, bytes) => {
    expect(await textsIn('apple-strings', bytes)).toEqual(['é']);
    expect(await fill('apple-strings', bytes, (content) => content)).toEqual(Uint8Array.from(bytes));
    const decoder = new TextDecoder(bytes[0] === 0xff || bytes[1] === 0 ? 'utf-16le' : 'utf-16be');
    expect(decoder.decode(await fill('apple-strings', bytes, () => '→🦀'))).toBe('"a" = "→🦀";\n');
  });

  it('UTF-16 that a page declares in single bytes is UTF-8', async () => {
    expect(await textsIn('html', Buffer.from('<meta charset=utf-16><p>é</p>'))).toEqual(['é']);
  });
});

describe('a file is refused before somebody translates it', () => {
  const LATIN = 'a\n b\xe9';
  it.each<[SourceFormat, string, detail: RegExp, place: object]>([
    [
      'html',
      '<p>a</p>\n<p>\ufffd</p><p>\xe9</p>',
      /not UTF-8, and names no other encoding.*to UTF-8/,
      { line: 2, column: 12 },
    ],
    ['markdown', LATIN, /names no other encoding/, { line: 2, column: 3 }],
    [
      'csv',
      `en,de\n${LATIN},`,
      /names no other encoding.*in Excel, as "CSV UTF-8 \(Comma delimited\)"/,
      { line: 3, column: 3 },
    ],
    ['json', '{"a": "\xe9"}', /names no other encoding/, { line: 1, column: 8 }],
    ['apple-strings', '"a" = "\xe9";', /names no other encoding/, { line: 1, column: 8 }],
    ['gettext', po('UTF-8', '\xe9'), /not text in its encoding "UTF-8"/, { line: 4, column: 8 }],
    ['gettext', po('us-ascii', '\xe9'), /not text in its encoding "us-ascii"/, { line: 1 }],
    ['gettext', po('x-none', 'a'), /does not know its encoding "x-none"/, { line: 1 }],
    ['xliff', xliff('iso-2022-jp', '\x1b$B8@\x1b(B'), /cannot write it in its encoding "iso-2022-jp"/, { line: 2 }],
    [
      'stringsdict',
      '<?xml version="1.0" encoding="ISO-2022-JP"?><plist>\x1b$B8@\x1b(B</plist>',
      /cannot write/,
      { line: 1 },
    ],
  ])('%s: %j', async (format, text, detail, place) => {
    const bytes = Buffer.concat(
      text
        .split('\ufffd')
        .flatMap((part, index) => (index > 0 ? [Buffer.from('\ufffd'), bytesOf(part)] : [bytesOf(part)])),
    );
    await expect(textsIn(format, bytes)).rejects.toMatchObject({
      faults: [{ code: 'encoding', detail: expect.stringMatching(detail), place: expect.objectContaining(place) }],
    });
  });
});

it.each<[SourceFormat, string, place: object]>([
  ['gettext', po('ISO-8859-1', 'a\xe9'), { line: 5, column: 1 }],
  [
    'android',
    '<?xml version="1.0" encoding="iso-8859-1"?>\n<resources><string name="a"><![CDATA[a\xe9]]></string></resources>',
    { line: 2, column: 29 },
  ],
])(
  '%s: a translation with a character that the encoding lacks is a fault, and nothing is written',
  async (format, text, place) => {
    await expect(fill(format, bytesOf(text), (content) => `${content} €`)).rejects.toMatchObject({
      faults: [
        {
          code: 'encoding',
          place,
          detail: 'The file is in iso-8859-1, which lacks the character € (U+20AC). Convert the file to UTF-8.',
        },
      ],
    });
  },
);
