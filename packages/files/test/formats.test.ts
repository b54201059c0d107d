import { describe, expect, it } from 'vitest';
import { formatOf, loadCodec } from '../codecs.ts';
import { formatPlace, TranslationFileError } from '../file-fault.ts';
import type { FileFormat } from '../translation-file.ts';
import { fileOf, translated } from './files.ts';

async function read(format: FileFormat, text: string | Uint8Array) {
  return (await loadCodec(format)).read(text);
}
async function write(format: FileFormat, ...segments: Parameters<typeof fileOf>[0]) {
  return (await loadCodec(format)).write(fileOf(segments));
}
/** Returns the faults of a file, each as `place: code`. */
async function faultsOf(format: FileFormat, text: string | Uint8Array): Promise<string[]> {
  const faults = await read(format, text).then(
    (parsed) => parsed.faults,
    (error: unknown) => {
      if (error instanceof TranslationFileError) return error.faults;
      throw error;
    },
  );
  return faults.map(({ place, code }) => `${formatPlace(place)}: ${code}`);
}

it.each([
  ['a.xlf', 'xliff'],
  ['a.b.XLIFF', 'xliff'],
  ['de.po', 'gettext'],
  ['a.csv', 'csv'],
  ['a.json', 'json'],
  ['a.txt', undefined],
  ['xlf', undefined],
])('the name %s means the format %s', (name, format) => {
  expect(formatOf(name)).toBe(format);
});

describe('gettext', () => {
  it('keeps equal texts apart, and shows what is not final as fuzzy', async () => {
    const text = await write(
      'gettext',
      {
        content: 'Open',
        notes: ['A verb', 'two\nlines'],
        customId: 'menu open',
        translation: translated('Öffnen', 'automatic'),
      },
      { content: 'Open', translation: translated('Offen\n"x"') },
      { content: 'New' },
    );
    expect(text.split('\n\n').slice(1)).toEqual([
      `#. A verb\n#. two\n#. lines\n#. id: menu open\n#. segue-base: v1.draft.bc385a30\n#, fuzzy\nmsgctxt "segue:1"\nmsgid "Open"\nmsgstr "Öffnen"`,
      `#. segue-base: v1.translated.a72d3e30\nmsgctxt "segue:2"\nmsgid "Open"\nmsgstr ""\n"Offen\\n"\n"\\"x\\""`,
      `#. segue-base: v0.untranslated.e3b0c442\nmsgctxt "segue:3"\nmsgid "New"\nmsgstr ""\n`,
    ]);
  });

  it('of other tools may have escapes, other charsets, and entries without a context', async () => {
    const text = `msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\nLanguage: de_DE\\n"\n\nmsgid "a\\v\\x1b\\101\\""\nmsgstr "\\303ä"\n`;
    const { entries, projectId } = await read('gettext', Buffer.from(text, 'latin1'));
    expect(projectId).toBeUndefined();
    expect(entries).toMatchObject([
      { customIds: [], languageCode: 'de_DE', source: 'a\v\u001bA"', status: 'translated', place: { line: 4 } },
    ]);
  });
});

describe('CSV', () => {
  it('guards cells that a spreadsheet would run, and takes the guard off again', async () => {
    const texts = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', "'=x", "''=x", "'x", "'", '＝1'];
    const text = await write('csv', ...texts.map((content) => ({ content })));
    const cells = [...text.matchAll(/^4711,de-DE,\d+,,,"?(.)/gms)].map(([, first]) => first);
    expect(cells.every((first) => first === "'")).toBe(true);
    expect((await read('csv', text)).entries.map(({ source }) => source)).toEqual(texts);
  });

  const KEPT = ['0', '10', '12345678901', 'May', 'a1', '1st of May', 'v2.0', '{0}', '1.2.x', 'E5'];
  const CHANGED = [
    ...['233490579985672', '007', '3.10', '1,5', '1/2', '10:30', '50%', '(5)', '$5', '+1', '1e5', '233E12', '1.5E+3'],
    ...['Jan 5', '5 MAY', 'mar-24', 'TRUE', 'false', ' 1.5 ', "'3.10"],
  ];

  it('guards cells that a spreadsheet would write in another way', async () => {
    for (const texts of [KEPT, CHANGED]) {
      const text = await write('csv', ...texts.map((content) => ({ content, customId: content })));
      const guards = Array.from(text.matchAll(/^4711,de-DE,\d+,"?('?)/gm), ([, guard]) => guard);
      expect(guards).toEqual(texts.map(() => (texts === KEPT ? '' : "'")));
      const { entries } = await read('csv', text);
      expect(entries.map(({ source, customIds }) => [source, customIds])).toEqual(texts.map((each) => [each, [each]]));
    }
    const { segments, ...file } = fileOf([{}]);
    const ids = {
      project: { ...file.project, id: 233490579985000 },
      segments: segments.map((each) => ({ ...each, id: 233490579985001 })),
    };
    const text = (await loadCodec('csv')).write({ ...file, ...ids });
    expect(text).toContain("\r\n'233490579985000,de-DE,'233490579985001,,");
    expect(await read('csv', text)).toMatchObject({
      projectId: 233490579985000,
      entries: [{ segmentId: 233490579985001 }],
    });
  });

  it('may come back from a spreadsheet with semicolons, a byte order mark, other columns and empty rows', async () => {
    const text =
      '\ufeffproject;segment;"target";language;remarks;status\r4711;1;"a;""b""\n";de-DE;x;\r;;;;;\r4711;2;c;;\r';
    const { projectId, entries } = await read('csv', text);
    expect(projectId).toBe(4_711);
    expect(entries).toMatchObject([
      { segmentId: 1, content: 'a;"b"\n', languageCode: 'de-DE', place: { line: 2 } },
      { segmentId: 2, content: 'c', languageCode: undefined, place: { line: 5 } },
    ]);
  });

  it.each([
    ['no columns', 'a,b\n1,2', ['line 1: missing-column', 'line 1: missing-column']],
    ['a quote that does not end', 'segment,target\n1,"a\n', ['line 2: syntax']],
    ['text after a quoted cell', 'segment,target\n1,"a" b\n', ['line 2: syntax']],
    ['a row with too many cells', 'segment,target\n1,a,b\n', ['line 2: wrong-columns']],
    [
      'an id that is no number',
      'segment,target\n"1\n2",a\nb,b',
      ['line 2: missing-segment', 'line 4: missing-segment'],
    ],
    ['an unknown status', 'segment,target,status\n1,a,done\n', ['line 2: unknown-status']],
    ['two projects', 'segment,target,project\n1,a,1\n2,a,2\n', ['line 1: wrong-project']],
    ['other bytes', Uint8Array.of(0xc3, 0x28), ['line 1, column 1: encoding']],
  ])('with %s is refused', async (_, text, faults) => {
    expect(await faultsOf('csv', text)).toEqual(faults);
  });
});

describe('JSON', () => {
  it('has the fields that the documentation names', async () => {
    const segment = {
      customId: 'a',
      taskId: 't',
      content: 'Hello',
      notes: ['n'],
      translation: translated('Hallo', 'draft'),
    };
    expect(JSON.parse(await write('json', segment, { content: 'Bye' }))).toEqual({
      project: { id: 4_711, name: 'Spring catalogue', sourceLanguage: 'en-GB' },
      language: 'de-DE',
      segments: [
        {
          id: 1,
          customId: 'a',
          taskId: 't',
          notes: ['n'],
          source: 'Hello',
          target: 'Hallo',
          status: 'draft',
          base: expect.stringMatching(/^v1\.draft\./),
        },
        { id: 2, source: 'Bye', target: null, status: 'untranslated', base: 'v0.untranslated.e3b0c442' },
      ],
    });
  });

  it.each([
    ['wrong syntax', '{\n "segments" 1\n}', ['line 2, column 13: syntax']],
    ['another shape', '[]', ['/: syntax']],
    [
      'wrong fields',
      '{"segments":[{"id":0},{"status":"done","target":1}]}',
      ['/segments/0/id: syntax', '/segments/1/target: syntax', '/segments/1/status: unknown-status'],
    ],
  ])('with %s is refused', async (_, text, faults) => {
    expect(await faultsOf('json', text)).toEqual(faults);
  });
});
