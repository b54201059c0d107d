import type { FileFault } from './file-fault.ts';
import { groupBy } from './group-by.ts';
import type { FileEntry, FileSegment, FileTranslation, TranslationFile } from './translation-file.ts';
import { mayMean } from './translation-file.ts';

/** A file that was filled with translations. */
export interface FilledFile {
  readonly file: Uint8Array;
  /** How many translations the file did not have yet. */
  readonly filled: number;
  /** The places that were left as they are, although the project has a translation for them, or no segment. */
  readonly skipped: readonly SkippedUnit[];
}

/** A place of a file that was left as it is. */
export interface SkippedUnit {
  readonly place: FileEntry['place'];
  readonly reason: keyof typeof SKIP_REASONS;
}

/** Why a place of a file is left as it is. */
export const SKIP_REASONS = {
  'unknown-segment': 'The project has no segment for it, or several with the same source text.',
  'source-differs': 'Its source text is not the text of the segment.',
  divided: 'A tool has divided it into several segments.',
  plural: 'It has plural forms.',
  codes: 'The codes of the translation cannot be placed in it.',
} as const;

/** Finds the segment of an entry. @returns the reason if there is none */
export type FindSegment = (entry: FileEntry) => FileSegment | keyof typeof SKIP_REASONS;

/**
 * Returns a function that finds the segment of an entry: by its id, by its custom id, or, for an entry with neither, by
 * its source text, if no other segment has the same text.
 */
export function segmentFinder(segments: readonly FileSegment[]): FindSegment {
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const byCustomId = groupBy(segments, ({ customId }) => customId);
  const bySource = groupBy(segments, ({ content }) => comparable(content));
  return ({ segmentId, customIds = [], source }) => {
    const lists = segmentId === undefined ? customIds.map((id) => byCustomId.get(id)) : [];
    const named = segmentId === undefined ? onlyOne(lists.find((list) => list !== undefined)) : byId.get(segmentId);
    if (named) return isSameText(named.content, source) ? named : 'source-differs';
    const equal = segmentId === undefined && source !== undefined ? bySource.get(comparable(source)) : undefined;
    return onlyOne(equal) ?? 'unknown-segment';
  };
}

/** Returns the segment in a list of one. Custom ids and texts may repeat in a project. */
function onlyOne([first, second]: readonly FileSegment[] = []): FileSegment | undefined {
  return second ? undefined : first;
}

/**
 * Whether a source text in a file is that of a segment. Tools change white space and drop control characters, so neither
 * counts.
 */
function isSameText(content: string, source: string | undefined): boolean {
  return source === undefined || comparable(source) === comparable(content);
}

function comparable(text: string): string {
  return text
    .normalize()
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}

/** Whether a file already has a translation with its status. */
export function hasTranslation({ content, status }: FileEntry, translation: FileTranslation): boolean {
  return content === translation.content && status === translation.status;
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
