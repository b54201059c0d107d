import { po } from 'gettext-parser';
import type { TranslationStatus } from '../../../contract/translation-status.ts';
import { type DecodedFile, decodeFile, encodeFile } from '../decode.ts';
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

/** Returns the texts of a gettext file. @throws {TranslationFileError} if it is not gettext */
export function gettextTexts(bytes: Uint8Array): SourceTexts {
  const { headers, blocks } = readPo(bytes);
  const texts = blocks.flatMap(({ msgctxt, msgid, msgidPlural, extracted, message }) =>
    [msgid, msgidPlural].flatMap((content) =>
      content ? [{ place: { line: message + 1 }, customId: msgctxt, content, notes: extracted || undefined }] : [],
    ),
  );
  return { targetLanguageCode: headers.get('language') || undefined, texts };
}

function projectIn(headers: PoFile['headers']): number | undefined {
  const project = headers.get('x-segue-project') ?? '';
  return /^[1-9]\d{0,15}$/.test(project) ? Number(project) : undefined;
}

/** An entry of a file with its texts: one, or two if it has plural forms. */
interface PoUnit {
  readonly block: PoBlock;
  readonly entries: readonly FileEntry[];
}

function readUnits(bytes: Uint8Array | string) {
  const file = readPo(bytes);
  return { ...file, units: file.blocks.map((block): PoUnit => ({ block, entries: entriesOf(block, file) })) };
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

function entriesOf(block: PoBlock, { headers }: PoFile): FileEntry[] {
  const { msgctxt, msgid, msgidPlural, msgstr, isFuzzy, extracted, message } = block;
  const [, id] = CONTEXT.exec(msgctxt ?? '') ?? [];
  // A language with a single form has that of many.
  const forms = msgidPlural === undefined ? [msgid] : msgstr.length === 1 ? [msgidPlural] : [msgid, msgidPlural];
  return forms.map((source, index) => {
    const content = hasMoreForms(block) ? '' : (msgstr[index] ?? '');
    return {
      place: { line: message + 1 },
      ...(id === undefined ? { customIds: msgctxt === undefined ? [] : [msgctxt] } : { segmentId: Number(id) }),
      languageCode: headers.get('language') || undefined,
      source,
      content,
      status: content === '' ? 'untranslated' : isFuzzy ? 'draft' : 'translated',
      base: BASE.exec(extracted)?.[1],
    };
  });
}

/** Whether the language has more plural forms than the two of the source. No segment has their translations. */
function hasMoreForms({ msgstr }: PoBlock): boolean {
  return msgstr.length > 2;
}

/**
 * Writes the translations of a project into a gettext file. Only the texts of `msgstr` and the flag `fuzzy` change.
 * @throws {TranslationFileError} if the file cannot be read, or belongs to another project or language
 */
export function fillGettext(bytes: Uint8Array, translations: TranslationFile, rules: FillRules = {}): FilledFile {
  const file = readUnits(bytes);
  const entries = file.units.flatMap((unit) => unit.entries);
  const faults = faultsOfTarget({ projectId: projectIn(file.headers), entries }, translations);
  if (faults.length > 0) throw new TranslationFileError(faults);
  const find = segmentFinder(translations.segments, entries);
  const skipped: SkippedUnit[] = [];
  const lines: string[] = [];
  let [filled, untranslated, next] = [0, 0, 0];
  const translationOf = (entry: FileEntry): FileTranslation | undefined => {
    const segment = find(entry);
    const skip = (reason: SkippedUnit['reason']) => void skipped.push({ place: entry.place, reason });
    if (typeof segment === 'string') return skip(segment);
    if (!segment.translation) {
      untranslated++;
      return undefined;
    }
    const translation = { ...segment.translation, status: readableStatus(segment.translation) };
    if (!keepsTranslation(entry, translation, rules)) return translation;
    return translation.content === entry.content ? undefined : skip('lower-status');
  };
  for (const unit of file.units) {
    const { block } = unit;
    // No segment is empty.
    if (block.msgid === '') continue;
    const forms = unit.entries.map((entry) => ({ entry, translation: translationOf(entry) }));
    const changed = forms.filter(({ entry, translation }) => translation && !hasTranslation(entry, translation));
    if (changed.length === 0) continue;
    if (hasMoreForms(block)) {
      skipped.push({ place: { line: block.message + 1 }, reason: 'plural' });
      continue;
    }
    for (const line of file.lines.slice(next, block.first)) lines.push(line);
    for (const line of filledLines(block, file.lines, forms)) lines.push(line);
    next = block.end;
    filled += changed.length;
  }
  for (const line of file.lines.slice(next)) lines.push(line);
  return { file: encodeFile({ ...file.decoded, text: lines.join(file.eol) }), filled, untranslated, skipped };
}

function readableStatus({ status }: FileTranslation): 'draft' | 'translated' {
  return READS_AS[status] === 'draft' ? 'draft' : 'translated';
}

/** The text of a `msgstr` with its new translation, if there is one. */
interface PoForm {
  readonly entry: FileEntry;
  readonly translation: FileTranslation | undefined;
}

/** Returns the lines of an entry with other translations. */
function filledLines(block: PoBlock, lines: readonly string[], forms: readonly PoForm[]): string[] {
  const comments = lines.slice(block.first, block.message);
  const base = comments.findLastIndex((line) => line.startsWith(`#. ${BASE_COMMENT}`));
  const [translation] = forms.flatMap((form) => form.translation ?? []);
  if (base >= 0 && translation) comments[base] = `#. ${BASE_COMMENT}${baseOf(translation, translation.status)}`;
  const message = lines.slice(block.message, block.translation);
  const msgstr = forms.map((form) => form.translation?.content ?? form.entry.content);
  const plural = block.msgidPlural === undefined ? {} : { msgid_plural: 'x' };
  const compiled = po.compile({
    charset: 'utf-8',
    headers: {},
    translations: { '': { x: { msgid: 'x', ...plural, msgstr } } },
  });
  const written = compiled.toString().trimEnd().split('\n');
  const start = written.findLastIndex((line) => /^msgstr(?:\[0\])? "/.test(line));
  const isDraft = forms.some(({ entry, translation: { status } = entry }) => status === 'draft');
  return [...withFuzzy(comments, isDraft), ...message, ...written.slice(start)];
}

/** Returns comments with or without the flag `fuzzy`. Other flags stay. */
function withFuzzy(comments: readonly string[], isFuzzy: boolean): string[] {
  const at = comments.findIndex((line) => line.startsWith('#,'));
  const flags = flagsIn(comments[at]?.slice(2) ?? '');
  if (flags.includes('fuzzy') === isFuzzy) return [...comments];
  const changed = isFuzzy ? ['fuzzy', ...flags] : flags.filter((flag) => flag !== 'fuzzy');
  const line = changed.length > 0 ? [`#, ${changed.join(', ')}`] : [];
  if (at >= 0) return comments.toSpliced(at, 1, ...line);
  const previous = comments.findIndex((comment) => comment.startsWith('#|'));
  return comments.toSpliced(previous < 0 ? comments.length : previous, 0, ...line);
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
