import { po } from 'gettext-parser';
import type { TranslationStatus } from '../../../contract/translation-status.ts';
import { type DecodedFile, decodeFile, encodeFile } from '../decode.ts';
import { type FileFault, TranslationFileError } from '../file-fault.ts';
import { type FilledFile, faultsOfTarget, hasTranslation, type SkippedUnit, segmentFinder } from '../fill.ts';
import {
  baseOf,
  type FileEntry,
  type FileTranslation,
  type ParsedFile,
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
  const file = readPo(bytes);
  const project = file.headers.get('x-segue-project') ?? '';
  return {
    projectId: /^[1-9]\d{0,15}$/.test(project) ? Number(project) : undefined,
    entries: file.blocks.map((block) => entryOf(block, file)),
    faults: [],
  };
}

function readPo(bytes: Uint8Array | string): PoFile & { readonly decoded: DecodedFile } {
  const decoded = decodeFile(bytes, (start) => {
    const charset = /charset=([\w-]+)/i.exec(start)?.[1];
    return charset === 'CHARSET' ? undefined : charset;
  });
  return { ...parsePo(decoded.text), decoded };
}

function entryOf(block: PoBlock, { headers }: PoFile): FileEntry {
  const { msgctxt, msgid, hasPlural, isFuzzy, extracted, message } = block;
  const [, id] = CONTEXT.exec(msgctxt ?? '') ?? [];
  const content = hasPlural ? '' : block.msgstrText;
  return {
    place: { line: message + 1 },
    ...(id === undefined ? { customIds: msgctxt === undefined ? [] : [msgctxt] } : { segmentId: Number(id) }),
    languageCode: headers.get('language') || undefined,
    source: msgid,
    content,
    status: content === '' ? 'untranslated' : isFuzzy ? 'draft' : 'translated',
    base: BASE.exec(extracted)?.[1],
  };
}

/**
 * Writes the translations of a project into a gettext file. Only the texts of `msgstr` and the flag `fuzzy` change.
 * @throws {TranslationFileError} if the file cannot be read, or belongs to another project or language
 */
export function fillGettext(bytes: Uint8Array, translations: TranslationFile): FilledFile {
  const file = readPo(bytes);
  const { projectId, entries } = readGettext(bytes);
  const faults: FileFault[] = faultsOfTarget({ projectId, entries }, translations);
  if (faults.length > 0) throw new TranslationFileError(faults);
  const find = segmentFinder(translations.segments);
  const skipped: SkippedUnit[] = [];
  const lines: string[] = [];
  let [filled, next] = [0, 0];
  for (const block of file.blocks) {
    const entry = entryOf(block, file);
    const segment = find(entry);
    if (typeof segment === 'string') {
      skipped.push({ place: entry.place, reason: segment });
      continue;
    }
    if (!segment.translation) continue;
    const translation = { ...segment.translation, status: readableStatus(segment.translation) };
    if (hasTranslation(entry, translation)) continue;
    if (block.hasPlural) {
      skipped.push({ place: entry.place, reason: 'plural' });
      continue;
    }
    for (const line of file.lines.slice(next, block.first)) lines.push(line);
    for (const line of filledLines(block, file.lines, translation)) lines.push(line);
    next = block.end;
    filled++;
  }
  for (const line of file.lines.slice(next)) lines.push(line);
  return { file: encodeFile({ ...file.decoded, text: lines.join(file.eol) }), filled, skipped };
}

function readableStatus({ status }: FileTranslation): 'draft' | 'translated' {
  return READS_AS[status] === 'draft' ? 'draft' : 'translated';
}

/** Returns the lines of an entry with another translation. */
function filledLines(block: PoBlock, lines: readonly string[], translation: FileTranslation): string[] {
  const comments = lines.slice(block.first, block.message);
  const base = comments.findLastIndex((line) => line.startsWith(`#. ${BASE_COMMENT}`));
  if (base >= 0) comments[base] = `#. ${BASE_COMMENT}${baseOf(translation, translation.status)}`;
  const message = lines.slice(block.message, block.msgstr);
  const compiled = po.compile({
    charset: 'utf-8',
    headers: {},
    translations: { '': { x: { msgid: 'x', msgstr: [translation.content] } } },
  });
  const written = compiled.toString().trimEnd().split('\n');
  const start = written.findLastIndex((line) => line.startsWith('msgstr "'));
  return [...withFuzzy(comments, translation.status === 'draft'), ...message, ...written.slice(start)];
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
