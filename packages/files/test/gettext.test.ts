import { describe, expect, it } from 'vitest';
import { loadCodec } from '../codecs.ts';
import { formatPlace, TranslationFileError } from '../file-fault.ts';
import { planImport } from '../plan-import.ts';
import { fileOf, translated } from './files.ts';

const { fill, read, texts, write } = await loadCodec('gettext');

/** Returns the texts of a file with their translations. */
const entriesOf = (text: string) => read(text).entries.map(({ source, content }) => [source, content]);
/** Returns the notes of each text of a file. */
const notesOf = (text: string) => texts(Buffer.from(text)).texts.map(({ notes }) => notes);

/** Returns the faults of a file, each as `place: detail`. */
function faultsOf(text: string): string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    if (!(error instanceof TranslationFileError)) throw error;
    return error.faults.map(({ place, code, detail }) => `${formatPlace(place)} ${code}: ${detail}`);
  }
}

/** Fills translations into a file, by the texts that they belong to. */
function filled(text: string, translations: Readonly<Record<string, string>>): string {
  const segments = Object.entries(translations).map(([content, to]) => ({ content, translation: translated(to) }));
  return Buffer.from(fill(Buffer.from(text), fileOf(segments)).file).toString();
}

const TREES = [
  ['tree', 'Baum'],
  ['trees', 'Bäume'],
];

describe('the grammar of gettext', () => {
  it.each([
    [
      'line breaks after keywords',
      'msgid\n"tree"\nmsgid_plural\n\n"trees"\nmsgstr[0]\n"Baum"\nmsgstr[1] \r\n\t"Bäume"\n',
    ],
    ['everything on one line', 'msgid "tree" msgid_plural "trees" msgstr[0] "Baum" msgstr[1] "Bäume"'],
    ['no spaces', 'msgid"tree"msgid_plural"trees"msgstr[0]"Baum"msgstr[1]"Bäume"'],
    ['spaces around numbers', 'msgid "tree"\nmsgid_plural "trees"\nmsgstr [ 0 ] "Baum"\nmsgstr[1 ] "Bäume"\n'],
    ['several texts on a line', 'msgid "tr" "ee"\nmsgid_plural "trees"\nmsgstr[0] "Ba" ""\t"um"\nmsgstr[1] "Bäume"\n'],
    ['old line breaks', 'msgid "tree"\rmsgid_plural "trees"\rmsgstr[0] "Baum"\r\rmsgstr[1] "Bäume"\r'],
    ['a domain', 'domain "shop"\n\nmsgid "tree"\nmsgid_plural "trees"\nmsgstr[0] "Baum"\nmsgstr[1] "Bäume"\n'],
    [
      'a comment before the translation',
      'msgid "tree"\n#. x\nmsgid_plural "trees"\n# y\nmsgstr[0] "Baum"\nmsgstr[1] "Bäume"',
    ],
  ])('allows %s', (_, text) => {
    expect(entriesOf(text)).toEqual(TREES);
    expect(filled(text, { tree: 'Baum', trees: 'Bäume' })).toBe(text);
    const changed = filled(text, { tree: 'Ein "Baum"', trees: 'Bäume' });
    expect(entriesOf(changed)).toEqual([['tree', 'Ein "Baum"'], TREES[1]]);
    expect(changed.startsWith(text.slice(0, text.indexOf('msgstr')))).toBe(true);
  });

  const PLURAL = 'msgid "a"\nmsgid_plural "b"\n';
  const ORDER = 'The translations of an entry must have the numbers 0, 1, 2 and so on.';
  const COMMENT = 'A comment must not stand between the translations of an entry.';
  it.each([
    [
      'an unescaped quote',
      'msgid "plate"\nmsgstr "5" Platte"\n\nmsgid "say "it"\nmsgstr ""\n',
      [
        'line 2, column 12 syntax: The text ended at the quote before. Write \\" for a quote in a text.',
        'line 4, column 13 syntax: The text ended at the quote before. Write \\" for a quote in a text.',
      ],
    ],
    [
      'an open quote',
      'msgid "a"\nmsgstr "b\n\nMSGID "c"\nmsgstr "d\\"\n',
      [
        'line 2, column 8 syntax: The quote is not closed.',
        'line 4, column 1 syntax: The line is not gettext.',
        'line 5, column 8 syntax: The quote is not closed.',
      ],
    ],
    ['single quotes', "msgid 'a'\n", ['line 1, column 7 syntax: The line is not gettext.']],
    [
      'another keyword',
      'msgids "a"\nmsgstr-0 "b"\n',
      ['line 1, column 1 syntax: The line is not gettext.', 'line 2, column 1 syntax: The line is not gettext.'],
    ],
    [
      'a comment between translations',
      `${PLURAL}msgstr[0] "c"\n#. remark\nmsgstr[1] "d"\n`,
      [`line 4 syntax: ${COMMENT}`],
    ],
    ['a comment in a translation', 'msgid "a"\nmsgstr "b"\n# remark\n"c"\n', [`line 3 syntax: ${COMMENT}`]],
    [
      'no translation',
      'msgid "a"\n\nmsgctxt "c"\nmsgstr ""\n',
      ['line 1 syntax: The entry needs a msgid and a msgstr.', 'line 3 syntax: The entry needs a msgid and a msgstr.'],
    ],
    ['no message', '\nmsgstr "a"\n', ['line 2 syntax: The entry needs a msgid before this line.']],
    ['a text alone', '"a"\n', ['line 1 syntax: The entry needs a msgid before this line.']],
    ['another number', `${PLURAL}msgstr[0] "c"\nmsgstr[2] "d"\n`, [`line 4 syntax: ${ORDER}`]],
    ['a repeated translation', 'msgid "a"\nmsgstr "b"\nmsgstr "c"\n', [`line 3 syntax: ${ORDER}`]],
    [
      'two plurals',
      `${PLURAL}msgid_plural "c"\nmsgstr ""\n`,
      ['line 3 syntax: The entry has this keyword at another place.'],
    ],
    [
      'two domains',
      'domain "a"\nmsgid "a"\nmsgstr ""\n\ndomain "b"\nmsgid "a"\nmsgstr ""\n',
      ['line 5 not-allowed: Here begins a second domain. Divide the file into one file for each domain.'],
    ],
  ])('does not allow %s', (_, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });
});

describe('comments of gettext', () => {
  it('belong to the entry below them, and those of obsolete entries to none', () => {
    const text = '#. old\n#, fuzzy\n#~ msgid "Gone"\n#~ msgstr "Weg"\n\n#. new\nmsgid "a"\nmsgstr "b"\n';
    expect(notesOf(text)).toEqual(['new']);
    expect(read(text).entries).toMatchObject([{ status: 'translated' }]);
    expect(filled(text, { a: 'c' })).toBe(text.replace('"b"', '"c"'));
  });

  it('may have flags on several lines', () => {
    const text = '#, c-format\n#, fuzzy, no-wrap\n#: a.c:1\nmsgid "a"\nmsgstr "b"\n';
    expect(read(text).entries).toMatchObject([{ status: 'draft' }]);
    expect(filled(text, { a: 'c' })).toBe(text.replace('fuzzy, ', '').replace('"b"', '"c"'));
  });
});

describe('the line breaks at both ends of a translation', () => {
  it.each([
    ['\\na\\n', 'b', '\\nb\\n'],
    ['a', '\nb\n\n', 'b'],
    ['a\\n', 'b\r\n', 'b\\n'],
    ['a\\n', '\nb\n\nc', 'b\\n\\nc\\n'],
    ['\\n', 'b', '\\nb\\n'],
    ['a', '\n', '\\n'],
  ])('are those of the msgid %s: %j becomes %s', (msgid, translation, msgstr) => {
    const source = msgid.replaceAll('\\n', '\n');
    const content = msgstr.replaceAll('\\n', '\n');
    const text = filled(`msgid "${msgid}"\nmsgstr ""\n`, { [source]: translation });
    expect(read(text).entries).toMatchObject([{ content }]);

    // Also in a file that Segue exports. To import it changes nothing, until a translator changes the text.
    const file = fileOf([{ content: source, translation: translated(translation, 'automatic') }]);
    const exported = write(file);
    expect(read(exported).entries).toMatchObject([{ source, content }]);
    expect(planImport(read(exported), [file])).toMatchObject({ changes: [], held: [], unchanged: 1 });
  });

  it('are written into a file that Segue exported', () => {
    const exported = write(fileOf([{ content: 'a\n', translation: translated('b') }]));
    const { file } = fill(Buffer.from(exported), fileOf([{ content: 'a\n', translation: translated('c') }]));
    expect(entriesOf(Buffer.from(file).toString())).toEqual([['a\n', 'c\n']]);
  });

  it('are those of the forms of a plural', () => {
    const text = 'msgid "tree\\n"\nmsgid_plural "trees\\n"\nmsgstr[0] ""\nmsgstr[1] ""\n';
    expect(entriesOf(filled(text, { 'tree\n': 'Baum', 'trees\n': 'Bäume\n' }))).toEqual([
      ['tree\n', 'Baum\n'],
      ['trees\n', 'Bäume\n'],
    ]);
  });

  it('make no other translation of one that only lacks them', () => {
    const text = 'msgid "a\\n"\nmsgstr "b\\n"\n';
    expect(filled(text, { 'a\n': 'b' })).toBe(text);
  });
});
