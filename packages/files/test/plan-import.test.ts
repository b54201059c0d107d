import { describe, expect, it } from 'vitest';
import type { TranslationStatus } from '../../../lib/contract/translation-status.ts';
import { loadCodec } from '../codecs.ts';
import { type PlanOptions, planImport } from '../plan-import.ts';
import type { FileEntry, FileSegment, FileTranslation } from '../translation-file.ts';
import { fileOf } from './files.ts';

interface Edit {
  readonly content?: string;
  readonly status?: TranslationStatus;
}

/**
 * Exports a translation, edits the file, changes the translation in the project, and plans the import of the file.
 * @param before the translation at the export
 * @param edit what the translator changed in the file
 * @param now the translation in the project at the import; by default as at the export
 */
async function planned(
  before: FileTranslation | undefined,
  edit: Edit,
  { now = before, ...options }: PlanOptions & { now?: FileTranslation | undefined } = {},
) {
  const { read, write } = await loadCodec('json');
  const parsed = read(write(fileOf([{ translation: before }])));
  const entries = parsed.entries.map((entry) => ({ ...entry, ...edit }));
  const { changes, held, unchanged, untranslated, faults } = planImport(
    { ...parsed, entries },
    [fileOf([{ translation: now }])],
    options,
  );
  expect(faults).toEqual([]);
  const [change] = changes;
  const [back] = held;
  if (change) return `${change.status} ${change.content}${change.reopen ? ', reopened' : ''}`;
  if (back) return back.reason;
  return unchanged === 1 ? 'unchanged' : untranslated === 1 ? 'untranslated' : 'nothing';
}

const draft: FileTranslation = { content: 'Entwurf', status: 'draft', version: 3 };
const machine: FileTranslation = { content: 'Maschine', status: 'automatic', version: 1 };
const done: FileTranslation = { content: 'Fertig', status: 'translated', version: 5 };
const final: FileTranslation = { content: 'Fertig', status: 'proofread', version: 6 };

describe('a translation in a file', () => {
  it.each<[what: string, expected: string, ...Parameters<typeof planned>]>([
    ['is not there', 'untranslated', undefined, {}],
    ['was emptied', 'untranslated', done, { content: '' }],
    ['is new', 'translated Neu', undefined, { content: 'Neu', status: 'translated' }],
    ['is new, and the tool left the status', 'translated Neu', undefined, { content: 'Neu' }],
    ['is new, and a draft', 'draft Neu', undefined, { content: 'Neu', status: 'draft' }],
    ['was not touched', 'unchanged', machine, {}],
    ['was confirmed', 'translated Maschine', machine, { status: 'translated' }],
    ['was confirmed by the tool for all', 'unchanged', machine, { status: 'translated' }, { changedTextsOnly: true }],
    ['was corrected, and the tool left the status', 'translated Neu', machine, { content: 'Neu' }],
    ['was corrected only in its lines’ ends', 'unchanged', { ...done, content: 'a\r\nb' }, { content: 'a\nb' }],
    ['was proofread', 'proofread Fertig', done, { status: 'proofread' }],
    ['gets another status by the option', 'proofread Fertig', done, {}, { status: 'proofread' }],
    ['was not touched, but has changed since', 'unchanged', draft, {}, { now: done }],
    ['has changed since', 'changed', draft, { content: 'Neu', status: 'translated' }, { now: done }],
    ['has changed since to the same', 'unchanged', draft, { content: 'Fertig', status: 'translated' }, { now: done }],
    [
      'overwrites a change',
      'translated Neu',
      draft,
      { content: 'Neu', status: 'translated' },
      { now: done, overwrite: true },
    ],
    ['has a lower status', 'lower-status', final, { content: 'Neu', status: 'translated' }],
    ['has a lower status than an engine’s', 'lower-status', machine, { content: 'Neu', status: 'draft' }],
    ['has only a lower status', 'unchanged', final, { status: 'translated' }],
    ['reopens', 'translated Neu, reopened', final, { content: 'Neu', status: 'translated' }, { reopen: true }],
    ['only reopens', 'draft Fertig, reopened', final, { status: 'draft' }, { reopen: true }],
  ])('that %s: %s', async (_, expected, ...args) => {
    expect(await planned(...args)).toBe(expected);
  });
});

it.each([
  ['an engine', machine, [{ content: 'Neu', status: 'translated' }]],
  ['a person', draft, [{ content: 'Neu', status: 'draft' }]],
])('a changed text in gettext that is still fuzzy, of %s', async (_, translation, changes) => {
  const { read, write } = await loadCodec('gettext');
  const file = fileOf([{ translation }]);
  const text = write(file);
  expect(text).toContain('#, fuzzy');
  expect(planImport(read(text.replace(translation.content, 'Neu')), [file])).toMatchObject({ changes, held: [] });
  expect(planImport(read(text), [file])).toMatchObject({ changes: [], held: [], unchanged: 1 });
});

const entry = (fields: Partial<FileEntry>): FileEntry => ({
  place: { line: 1 },
  segmentId: 1,
  languageCode: 'de-DE',
  content: 'Neu',
  status: 'translated',
  ...fields,
});
const segments: readonly Partial<FileSegment>[] = [
  { customId: 'a', content: 'Hello   world', translation: done },
  { customId: 'b', content: 'Twice' },
  { customId: 'b', content: 'Twice' },
];
const plan = (entries: readonly FileEntry[], options?: PlanOptions) =>
  planImport({ entries, faults: [] }, [fileOf(segments)], options);

describe('an import', () => {
  it('reports every fault, and leaves out unknown segments if it may', () => {
    const bad = [
      entry({ segmentId: 9 }),
      entry({ languageCode: undefined }),
      entry({ languageCode: 'fr' }),
      entry({ source: 'Other' }),
      entry({ content: 'a\udc00', segmentId: 2 }),
      entry({ segmentId: 2 }),
      entry({ segmentId: 2 }),
      entry({ segmentId: 9, content: '' }),
    ];
    expect(plan(bad).faults.map(({ code }) => code)).toEqual([
      'unknown-segment',
      'missing-language',
      'wrong-language',
      'source-differs',
      'ill-formed-unicode',
      'repeated-segment',
    ]);
    const outdated = [entry({ segmentId: 9 }), entry({ source: 'Other' }), entry({ segmentId: 2 })];
    expect(plan(outdated, { skipUnknown: true })).toMatchObject({
      unknown: 2,
      changes: [{ segmentId: 2 }],
      faults: [],
    });
    expect(plan([entry({})], { languageCode: 'fr' }).faults).toMatchObject([{ code: 'wrong-language' }]);
    const codes = ['de', 'fr', 'de', 'fr', undefined, undefined];
    const entries = codes.map((languageCode) => entry({ languageCode }));
    const { faults } = planImport({ entries, faults: [] }, [], { targetLanguageCodes: ['de-DE', 'pl'] });
    expect(faults.map(({ detail }) => detail)).toEqual([
      'The project has no target language de. Its target languages are: de-DE, pl. If it means de-DE, give de-DE as the language.',
      'The project has no target language fr. Its target languages are: de-DE, pl.',
      expect.stringContaining('does not name the language'),
    ]);
  });

  it('of a file of other origin finds segments by custom id or source, and never replaces the work of people', () => {
    const foreign = (fields: Partial<FileEntry>) => entry({ segmentId: undefined, ...fields });
    expect(plan([foreign({ customIds: ['x', 'a'], source: 'Hello\nworld' })])).toMatchObject({
      held: [{ reason: 'no-base', segmentId: 1 }],
    });
    expect(plan([foreign({ source: 'Hello world' })], { overwrite: true })).toMatchObject({
      changes: [{ segmentId: 1 }],
    });
    for (const ambiguous of [{ customIds: ['b'] }, { source: 'Twice' }])
      expect(plan([foreign(ambiguous)]).faults).toMatchObject([{ code: 'unknown-segment' }]);
  });

  it('takes the language from the option for a file without one', () => {
    expect(plan([entry({ languageCode: undefined, segmentId: 2 })], { languageCode: 'de_DE' })).toMatchObject({
      changes: [{ languageCode: 'de-DE' }],
    });
  });
});
