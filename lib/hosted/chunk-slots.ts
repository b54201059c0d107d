import type { Project } from '../contract/project-answer.ts';

/** The number of segments after which a chunk ends. */
export const CHUNK_SEGMENTS = 500;
/**
 * The number of chunks of translations, in all languages together, above which chunks have more segments: who counts or
 * selects by status reads all of them.
 */
const MANY_CHUNKS = 3_000;
/** The number of UTF-16 code units of content and notes after which a chunk ends. */
export const CHUNK_TEXT = 65_536;

/** Divides the segments of a new project into chunks. Returns the number of slots in each chunk. */
export function chunkSlots({ segments, targetLanguages }: Pick<Project, 'segments' | 'targetLanguages'>): number[] {
  const most = Math.max(CHUNK_SEGMENTS, Math.ceil((segments.length * targetLanguages.length) / MANY_CHUNKS));
  const slots: number[] = [];
  let count = 0;
  let text = 0;
  for (const { content, notes = '' } of segments) {
    count++;
    text += content.length + notes.length;
    if (count === most || text >= CHUNK_TEXT) {
      slots.push(count);
      [count, text] = [0, 0];
    }
  }
  return count > 0 ? [...slots, count] : slots;
}
