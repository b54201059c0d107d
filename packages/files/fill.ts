import { rankOf } from '../../lib/contract/translation-status.ts';
import type { FileFault } from './file-fault.ts';
import { groupBy } from './group-by.ts';
import type { FileEntry, FileSegment, FileTranslation, TranslationFile } from './translation-file.ts';
import { digestOf, mayMean, readBase } from './translation-file.ts';

/** A file that was filled with translations. */
export interface FilledFile {
  readonly file: Uint8Array;
  /** How many translations the file did not have yet. */
  readonly filled: number;
  /** How many places have no translation in the project yet. */
  readonly untranslated: number;
  /** The places that were left as they are, although the project has a translation for them, or no segment. */
  readonly skipped: readonly SkippedUnit[];
  /** What the translations in the file lack of their texts. */
  readonly warnings: readonly FileFault[];
}

/** A place of a file that was left as it is. */
export interface SkippedUnit {
  readonly place: FileEntry['place'];
  readonly reason: keyof typeof SKIP_REASONS;
  /** For `codes` and `markup-lost`, a text for people: the segment, and what its translation has wrong if it is known. */
  readonly detail?: string | undefined;
}

/** Why a place of a file is left as it is. */
export const SKIP_REASONS = {
  'unknown-segment': 'The project has no segment for it, or several with the same source text.',
  'source-differs': 'Its source text is not the text of the segment.',
  divided: 'A tool has divided it into several segments.',
  plural: 'The project lacks a segment or a translation for one of its plural forms.',
  codes: 'The markup of the translation cannot be placed in it.',
  'markup-lost': 'Its translation lacks code, a link or a tag of the text, or has changed it.',
  'lower-status': 'Its translation is finished, and that of the project is not.',
} as const;

/** How a file is filled. */
export interface FillRules {
  /** Whether a translation may replace one with a higher status, such as a finished one. */
  readonly reopen?: boolean | undefined;
}

/** Finds the segment of an entry. @returns the reason if there is none */
export type FindSegment = (entry: FileEntry) => FileSegment | keyof typeof SKIP_REASONS;

/**
 * Returns a function that finds the segment of an entry: by its id, by its custom id, or, for an entry without an id, by
 * its source text. If several segments have the same custom id and text, and as many entries do, they belong together in
 * their order.
 * @param entries all entries of the file
 */
export function segmentFinder(segments: readonly FileSegment[], entries: readonly FileEntry[]): FindSegment {
  const candidatesOf = candidateFinder(segments);
  const found = new Map(entries.map((entry) => [entry, candidatesOf(entry)]));
  const places = placesAmongEqual(found);
  return (entry) => {
    const candidates = found.get(entry) ?? candidatesOf(entry);
    if (typeof candidates === 'string') return candidates;
    const { index = 0, count = 1 } = (candidates.length > 1 && places.get(entry)) || {};
    return (candidates.length === count && candidates[index]) || 'unknown-segment';
  };
}

/** The segments that an entry may belong to, which are equal; or the reason why it belongs to none. */
type Candidates = readonly FileSegment[] | keyof typeof SKIP_REASONS;

/** Returns a function that finds the candidates of an entry. Entries with the same candidates get the same list. */
function candidateFinder(segments: readonly FileSegment[]): (entry: FileEntry) => Candidates {
  const byId = groupBy(segments, ({ id }) => id);
  const byCustomId = groupBy(segments, ({ customId }) => customId);
  const bySource = groupBy(segments, ({ content }) => comparable(content));
  const unnamedBySource = groupBy(byCustomId.get(undefined) ?? [], ({ content }) => comparable(content));
  const named = segments.filter(({ customId }) => customId !== undefined);
  const byBoth = groupBy(named, ({ customId = '', content }) => keyOf(customId, content));
  return ({ segmentId, customIds = [], source, isAddedForm }) => {
    const ofId = segmentId === undefined ? undefined : byId.get(segmentId);
    if (ofId) return ifSameText(ofId, source);
    const customId = customIds.find((id) => byCustomId.has(id));
    if (isAddedForm && customId === undefined) return 'plural';
    if (segmentId !== undefined && customId === undefined) return 'unknown-segment';
    if (customId !== undefined) {
      const sameId = byCustomId.get(customId) ?? [];
      if (sameId.length === 1) return ifSameText(sameId, source);
      const sameText = source === undefined ? sameId : byBoth.get(keyOf(customId, source));
      if (sameText) return sameText;
    }
    if (source === undefined) return 'unknown-segment';
    const text = comparable(source);
    const unnamed = customIds.length === 0 ? unnamedBySource.get(text) : undefined;
    return unnamed ?? bySource.get(text) ?? 'unknown-segment';
  };
}

function keyOf(customId: string, content: string): string {
  return JSON.stringify([customId, comparable(content)]);
}

function ifSameText(one: readonly FileSegment[], source: string | undefined): Candidates {
  return one.every(({ content }) => isSameText(content, source)) ? one : 'source-differs';
}

/** Returns where each entry stands among those of its language with the same candidates: the third of three. */
function placesAmongEqual(found: ReadonlyMap<FileEntry, Candidates>) {
  const places = new Map<FileEntry, { readonly index: number; readonly count: number }>();
  for (const sameLanguage of groupBy(found, ([{ languageCode }]) => languageCode).values()) {
    for (const group of groupBy(sameLanguage, ([, candidates]) => candidates).values()) {
      for (const [index, [entry]] of group.entries()) places.set(entry, { index, count: group.length });
    }
  }
  return places;
}

/**
 * Whether a source text in a file is that of a segment. Tools change white space and drop control characters, so neither
 * counts.
 */
function isSameText(content: string, source: string | undefined): boolean {
  return source === undefined || comparable(source) === comparable(content);
}

/** A run of so many combining marks is not normalised: it is no writing, and sorting the marks takes quadratic time. */
const MANY_MARKS = /(\p{M}{32,})/u;

function comparable(text: string): string {
  return text
    .split(MANY_MARKS)
    .map((part, index) => (index % 2 === 0 ? part.normalize() : part))
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}

/** Whether a file already has a translation with its status. */
export function hasTranslation({ content, status }: FileEntry, translation: FileTranslation): boolean {
  return content === translation.content && status === translation.status;
}

/**
 * Whether a file keeps its translation: it is finished, and that of the project has a lower status. So a machine does
 * not replace the work of a person. A translation that is as Segue exported it is not kept, because the project is newer.
 */
export function keepsTranslation(
  { content, status = 'untranslated', base: written }: FileEntry,
  translation: FileTranslation,
  { reopen = false }: FillRules,
): boolean {
  const base = readBase(written);
  const isExported = base?.status === status && base.digest === digestOf(content);
  const isFinished = content !== '' && rankOf(status) >= rankOf('translated');
  return !reopen && !isExported && isFinished && rankOf(translation.status) < rankOf(status);
}

/** Returns the faults of a file whose languages or project are others than those to fill in. */
export function faultsOfTarget(
  { projectId, entries }: { readonly projectId?: number | undefined; readonly entries: readonly FileEntry[] },
  { project, languageCode }: TranslationFile,
): FileFault[] {
  const faults: FileFault[] = [];
  if (projectId !== undefined && projectId !== project.id) {
    const detail = `The file belongs to project ${projectId}, not to project ${project.id}.`;
    faults.push({ place: { line: 1 }, code: 'wrong-project', detail });
  }
  const other = entries.find((entry) => entry.languageCode && !mayMean(entry.languageCode, languageCode));
  if (other) {
    const detail = `The file has translations into ${other.languageCode}, not into ${languageCode}.`;
    faults.push({ place: other.place, code: 'wrong-language', detail });
  }
  return faults;
}
