import { po } from 'gettext-parser';
import { type Edit, encodeEdits } from '../edits.ts';
import { type FileFault, TranslationFileError } from '../file-fault.ts';
import {
  type FilledFile,
  type FillRules,
  faultsOfTarget,
  hasTranslation,
  keepsTranslation,
  type SkippedUnit,
  segmentFinder,
} from '../fill.ts';
import { lossFinder } from '../losses.ts';
import { baseOf, type FileEntry, type FileTranslation, type TranslationFile } from '../translation-file.ts';
import { flagsIn, type PoBlock } from './blocks.ts';
import { BASE_COMMENT, projectIn, READS_AS, readUnits } from './gettext.ts';
import { withLineBreaksOf } from './line-breaks.ts';

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
  const lossesOf = lossFinder(translations);
  const skipped: SkippedUnit[] = [];
  const warnings: FileFault[] = [];
  const edits: Edit[] = [];
  let [filled, untranslated] = [0, 0];
  const skip = ({ place }: FileEntry, reason: SkippedUnit['reason']): undefined => {
    // All forms of an entry have its place.
    const last = skipped.at(-1);
    if (reason !== 'plural' || last?.reason !== reason || last.place !== place) skipped.push({ place, reason });
  };
  const translationOf = (entry: FileEntry, segment: ReturnType<typeof find>): FileTranslation | undefined => {
    if (typeof segment === 'string') return skip(entry, segment);
    if (!segment.translation) {
      untranslated++;
      return undefined;
    }
    const translation = {
      ...segment.translation,
      content: withLineBreaksOf(entry.source, segment.translation.content),
      status: readableStatus(segment.translation),
    };
    if (!keepsTranslation(entry, translation, rules)) return translation;
    return translation.content === entry.content ? undefined : skip(entry, 'lower-status');
  };
  for (const unit of file.units) {
    const { block } = unit;
    // No segment is empty.
    if (block.msgid === '') continue;
    const forms = unit.entries.map((entry) => {
      const segment = find(entry);
      return { entry, segment, translation: translationOf(entry, segment) };
    });
    const changed = forms.filter(({ entry, translation }) => translation && !hasTranslation(entry, translation));
    // A program would show an empty form as an empty text.
    const isPartial = forms.length > 1 && forms.some(({ entry, translation = entry }) => translation.content === '');
    if (isPartial) {
      for (const { entry } of changed) skip(entry, 'plural');
      continue;
    }
    if (changed.length > 0) for (const edit of editsOf(block, file.text, forms)) edits.push(edit);
    filled += changed.length;
    for (const { entry, segment, translation } of forms) {
      if (!translation || typeof segment === 'string') continue;
      const { place, form } = entry;
      warnings.push(...lossesOf({ segment, content: translation.content, place, form }));
    }
  }
  return { file: encodeEdits(file.decoded, edits), filled, untranslated, skipped, warnings };
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
  const lines = new TextDecoder().decode(compiled).trimEnd().split('\n');
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
