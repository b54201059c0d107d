import { po } from 'gettext-parser';
import type { TranslationStatus } from '../../../contract/translation-status.ts';
import { type DecodedFile, decodeFile } from '../decode.ts';
import { type Edit, encodeEdits } from '../edits.ts';
import { TranslationFileError } from '../file-fault.ts';
import {
  type FilledFile,
  type FillRules,
  faultsOfTarget,
  hasTranslation,
  keepsTranslation,
  type SkippedUnit,
  segmentFinder,
} from '../fill.ts';
import { isCategory, noteOfForm } from '../plural-rules.ts';
import type { SourceTexts } from '../source-file.ts';
import {
  baseOf,
  type FileEntry,
  type FileTranslation,
  type ParsedFile,
  requireCode,
  type TranslationFile,
  tagOf,
} from '../translation-file.ts';
import { flagsIn, type PoBlock, type PoFile, parsePo } from './blocks.ts';
import { type FormName, formNames, neededForms } from './plural-forms.ts';

/** The context of a segment's entry. It keeps segments with equal texts apart. */
const CONTEXT = /^segue:([1-9]\d{0,15})$/;
const BASE_COMMENT = 'segue-base: ';
/** Matches the last such comment, because notes may contain anything and stand before it. */
const BASE = new RegExp(`(?:^|\\n)${BASE_COMMENT}(\\S+)$`);

/** The statuses as gettext shows them: a fuzzy entry is a draft, and any other is translated. */
const READS_AS: Readonly<Record<TranslationStatus, TranslationStatus>> = {
  untranslated: 'untranslated',
  draft: 'draft',
  automatic: 'draft',
  pretranslated: 'draft',
  translated: 'translated',
  proofread: 'translated',
};

/** Writes a gettext file. */
export function writeGettext({ project, languageCode, segments }: TranslationFile): string {
  const entries = segments.map(({ id, customId, content, notes, translation }) => {
    const status = READS_AS[translation?.status ?? 'untranslated'];
    const base = baseOf(translation, status);
    const extracted = [
      ...notes,
      ...(customId === undefined ? [] : [`id: ${oneLine(customId)}`]),
      `${BASE_COMMENT}${base}`,
    ];
    const comments = { extracted: extracted.join('\n'), ...(status === 'draft' && { flag: 'fuzzy' }) };
    const msgctxt = `segue:${id}`;
    return [msgctxt, { [content]: { msgctxt, msgid: content, msgstr: [translation?.content ?? ''], comments } }];
  });
  const table = {
    charset: 'utf-8',
    headers: {
      'Project-Id-Version': oneLine(project.name),
      Language: tagOf(languageCode).replaceAll('-', '_'),
      'MIME-Version': '1.0',
      'Content-Type': 'text/plain; charset=UTF-8',
      'Content-Transfer-Encoding': '8bit',
      'X-Segue-Project': String(project.id),
    },
    translations: Object.fromEntries(entries),
  };
  return po.compile(table, { foldLength: 0 }).toString();
}

/** Reads a gettext file. @throws {TranslationFileError} if it is not gettext */
export function readGettext(bytes: Uint8Array | string): ParsedFile {
  const { headers, units } = readUnits(bytes);
  return { projectId: projectIn(headers), entries: units.flatMap(({ entries }) => entries), faults: [] };
}

/**
 * Returns the texts of a gettext file: a plural entry has one for each form that the file or a target language has.
 * @throws {TranslationFileError} if it is not gettext
 */
export function gettextTexts(bytes: Uint8Array, _source?: string, targets: readonly string[] = []): SourceTexts {
  const { headers, blocks } = readPo(bytes);
  const language = headers.get('language') || undefined;
  const plural = headers.get('plural-forms') ?? '';
  const languages = targets.length > 0 || language === undefined ? targets : [language];
  const names = neededForms(plural, language, languages);
  const notes = new Map(
    names.map((name) => [name, isCategory(name) ? noteOfForm(name, languages) : `Plural form ${name} of ${plural}`]),
  );
  const texts = blocks.flatMap((block) => {
    const { extracted, line } = block;
    return formsOf(block, names).flatMap(({ name, customId, content, isAdded }) => {
      const note = isAdded && name !== undefined ? notes.get(name) : undefined;
      const all = [extracted, note].filter(Boolean).join('\n') || undefined;
      return content === '' ? [] : [{ place: { line }, customId, content, notes: all }];
    });
  });
  return { targetLanguageCode: language, texts };
}

/** A text of an entry. */
interface PoText {
  /** Absent for an entry without plural forms. */
  readonly name?: FormName;
  readonly customId: string | undefined;
  readonly content: string;
  /** Whether it is a plural form other than the two of the file, so that it needs a custom id of its own. */
  readonly isAdded: boolean;
}

/** Returns the texts of an entry, by the names of its forms. */
function formsOf({ msgctxt, msgid, msgidPlural }: PoBlock, names: readonly FormName[]): PoText[] {
  if (msgidPlural === undefined) return [{ customId: msgctxt, content: msgid, isAdded: false }];
  return names.map((name) => {
    const isAdded = name !== 'one' && name !== 'other';
    const id = [msgctxt, msgid, name].filter((part) => part !== undefined).join('.');
    return { name, customId: isAdded ? id : msgctxt, content: name === 'one' ? msgid : msgidPlural, isAdded };
  });
}

function projectIn(headers: PoFile['headers']): number | undefined {
  const project = headers.get('x-segue-project') ?? '';
  return /^[1-9]\d{0,15}$/.test(project) ? Number(project) : undefined;
}

/** An entry of a file with its texts. */
interface PoUnit {
  readonly block: PoBlock;
  readonly entries: readonly FileEntry[];
}

/** Reads a file. @param languageCode the language of its translations, if it does not say */
function readUnits(bytes: Uint8Array | string, languageCode?: string) {
  const file = readPo(bytes);
  const named = file.headers.get('language') || languageCode;
  const namesOf = formNames(file.headers.get('plural-forms') ?? '', named);
  const units = file.blocks.map((block): PoUnit => {
    return { block, entries: entriesOf(block, file, namesOf(block.msgstr.length)) };
  });
  return { ...file, units };
}

function readPo(bytes: Uint8Array | string): PoFile & { readonly decoded: DecodedFile } {
  const decoded = decodeFile(bytes, (start) => {
    const charset = /charset=([\w-]+)/i.exec(start)?.[1];
    return charset === 'CHARSET' ? undefined : charset;
  });
  const file = parsePo(decoded.text);
  requireCode(file.headers.get('language'));
  return { ...file, decoded };
}

function entriesOf(block: PoBlock, { headers }: PoFile, names: readonly FormName[]): FileEntry[] {
  const { msgctxt, msgstr, isFuzzy, extracted, line } = block;
  const [, id] = CONTEXT.exec(msgctxt ?? '') ?? [];
  const place = { line };
  return formsOf(block, names).map(({ customId, content: source, isAdded }, index) => {
    const content = msgstr[index] ?? '';
    return {
      place,
      ...(id === undefined ? { customIds: customId === undefined ? [] : [customId] } : { segmentId: Number(id) }),
      languageCode: headers.get('language') || undefined,
      source,
      content,
      status: content === '' ? 'untranslated' : isFuzzy ? 'draft' : 'translated',
      base: BASE.exec(extracted)?.[1],
      isAddedForm: isAdded,
    };
  });
}

/**
 * Writes the translations of a project into a gettext file. Only the texts of `msgstr` and the flag `fuzzy` change.
 * @throws {TranslationFileError} if the file cannot be read, or belongs to another project or language
 */
export function fillGettext(bytes: Uint8Array, translations: TranslationFile, rules: FillRules = {}): FilledFile {
  const file = readUnits(bytes, translations.languageCode);
  const entries = file.units.flatMap((unit) => unit.entries);
  const faults = faultsOfTarget({ projectId: projectIn(file.headers), entries }, translations);
  if (faults.length > 0) throw new TranslationFileError(faults);
  const find = segmentFinder(translations.segments, entries);
  const skipped: SkippedUnit[] = [];
  const edits: Edit[] = [];
  let [filled, untranslated] = [0, 0];
  const skip = ({ place }: FileEntry, reason: SkippedUnit['reason']): undefined => {
    // All forms of an entry have its place.
    const last = skipped.at(-1);
    if (reason !== 'plural' || last?.reason !== reason || last.place !== place) skipped.push({ place, reason });
  };
  const translationOf = (entry: FileEntry): FileTranslation | undefined => {
    const segment = find(entry);
    if (typeof segment === 'string') return skip(entry, segment);
    if (!segment.translation) {
      untranslated++;
      return undefined;
    }
    const translation = { ...segment.translation, status: readableStatus(segment.translation) };
    if (!keepsTranslation(entry, translation, rules)) return translation;
    return translation.content === entry.content ? undefined : skip(entry, 'lower-status');
  };
  for (const unit of file.units) {
    const { block } = unit;
    // No segment is empty.
    if (block.msgid === '') continue;
    const forms = unit.entries.map((entry) => ({ entry, translation: translationOf(entry) }));
    const changed = forms.filter(({ entry, translation }) => translation && !hasTranslation(entry, translation));
    if (changed.length === 0) continue;
    // A program would show an empty form as an empty text.
    if (forms.length > 1 && forms.some(({ entry, translation = entry }) => translation.content === '')) {
      for (const { entry } of changed) skip(entry, 'plural');
      continue;
    }
    for (const edit of editsOf(block, file.text, forms)) edits.push(edit);
    filled += changed.length;
  }
  return { file: encodeEdits(file.decoded, edits), filled, untranslated, skipped };
}

function readableStatus({ status }: FileTranslation): 'draft' | 'translated' {
  return READS_AS[status] === 'draft' ? 'draft' : 'translated';
}

/** The text of a `msgstr` with its new translation, if there is one. */
interface PoForm {
  readonly entry: FileEntry;
  readonly translation: FileTranslation | undefined;
}

/** Returns the edits that give an entry other translations. */
function editsOf(block: PoBlock, text: string, forms: readonly PoForm[]): Edit[] {
  const { start, message, translation: at, end } = block;
  const eol = /\r\n?|\n/.exec(text)?.[0] ?? '\n';
  const comments = text.slice(start, message).split(eol);
  // The message may be indented.
  const indent = comments.pop() ?? '';
  const base = comments.findLastIndex((line) => line.startsWith(`#. ${BASE_COMMENT}`));
  const [translation] = forms.flatMap((form) => form.translation ?? []);
  if (base >= 0 && translation) comments[base] = `#. ${BASE_COMMENT}${baseOf(translation, translation.status)}`;
  const msgstr = forms.map((form) => form.translation?.content ?? form.entry.content);
  const isDraft = forms.some(({ entry, translation: { status } = entry }) => status === 'draft');
  return [
    { start, end: message, text: [...withFuzzy(comments, isDraft), indent].join(eol) },
    { start: at, end, text: msgstrOf(msgstr, block.msgidPlural !== undefined).join(eol) },
  ];
}

/** Returns the lines of translations. */
function msgstrOf(msgstr: string[], isPlural: boolean): string[] {
  const entry = { msgid: 'x', ...(isPlural && { msgid_plural: 'x' }), msgstr };
  const compiled = po.compile({ charset: 'utf-8', headers: {}, translations: { '': { x: entry } } });
  const lines = compiled.toString().trimEnd().split('\n');
  return lines.slice(lines.findLastIndex((line) => /^msgstr(?:\[0\])? "/.test(line)));
}

/** Returns comments with or without the flag `fuzzy`. Other flags stay. */
function withFuzzy(comments: readonly string[], isFuzzy: boolean): string[] {
  const isFlags = (line: string) => line.trimStart().startsWith('#,');
  const flagsOf = (line: string) => flagsIn(line.slice(line.indexOf(',') + 1));
  const isNow = comments.some((line) => isFlags(line) && flagsOf(line).includes('fuzzy'));
  if (isNow === isFuzzy) return [...comments];
  if (!isFuzzy) {
    return comments.flatMap((line) => {
      const flags = isFlags(line) ? flagsOf(line) : [];
      if (!flags.includes('fuzzy')) return [line];
      const others = flags.filter((flag) => flag !== 'fuzzy');
      return others.length > 0 ? [`#, ${others.join(', ')}`] : [];
    });
  }
  const at = comments.findIndex(isFlags);
  const line = ['#, fuzzy', ...flagsOf(comments[at] ?? ',')].join(', ');
  if (at >= 0) return comments.toSpliced(at, 1, line);
  const previous = comments.findIndex((comment) => comment.startsWith('#|'));
  return comments.toSpliced(previous < 0 ? comments.length : previous, 0, line);
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
