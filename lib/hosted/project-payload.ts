import * as z from 'zod/mini';
import { type Project, ProjectHead, type SegmentAnswer } from '../contract/project-answer.ts';
import { type ByteText, bytesIn, byteText } from '../service/byte-text.ts';
import { type EncodedText, entryTexts } from '../service/encoded-text.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import { changeParts, decodePart, encodeParts, withFirstPart } from '../service/text-parts.ts';
import { nextTurn } from '../service/turn.ts';
import { recordOf } from '../storage/record.ts';

/**
 * The schema of the fields that describe the payload of a project. The payload is the JSON of the project, encoded in
 * parts: the fields of the project, then each chunk of segments, then the end. So a chunk can be read alone.
 *
 * The chunks of a project never change their limits. A segment has a slot: its index among the segments that the
 * project had at its creation. If a task is deleted, the slots of its segments stay empty.
 */
export const PayloadFields = recordOf(() => ({
  encoding: z.enum(['identity', 'gzip']),
  /** The number of bytes after decoding. */
  length: z.int(),
  /** The number of slots in each chunk. */
  slots: z.array(z.int()),
  /** Where each part begins in the payload, and where the last part ends, in bytes. */
  offsets: z.array(z.int()),
  /** Where the tasks of many slots are, behind the project, and how they are encoded. Absent if the item has them. */
  tasks: z.optional(
    recordOf(() => ({ from: z.int(), to: z.int(), encoding: z.enum(['identity', 'gzip']), length: z.int() })),
  ),
}));
export type PayloadFields = z.infer<typeof PayloadFields>;

/** Returns the id of the segment in the first slot. The ids of a project are consecutive; see `projectFrom`. */
export function firstSegmentId({ id, targetLanguages }: { readonly id: number; readonly targetLanguages: number }) {
  return id + 1 + targetLanguages;
}

/**
 * Encodes a project in parts.
 * @param slots the number of slots in each chunk, from `chunkSlots` of the segments at the creation of the project
 */
export async function encodeProject(
  project: Project,
  slots: readonly number[],
): Promise<{ readonly document: ProjectDocument; readonly payload: PayloadFields }> {
  const { segments, ...head } = project;
  const first = firstSegmentId({ id: project.id, targetLanguages: project.targetLanguages.length });
  const chunks: Buffer[][] = [];
  let [next, end] = [0, first];
  for (const count of slots) {
    end += count;
    const from = next;
    while ((segments[next]?.id ?? end) < end) next++;
    // Other requests run between two chunks.
    if (from > 0) await nextTurn();
    chunks.push(chunkPieces(segments.slice(from, next), from > 0));
  }
  const json = await encodeParts([[headText(head)], ...chunks, [END]]);
  const { encoding, length, offsets } = json;
  return {
    document: { id: project.id, segments: segments.length, targetLanguages: project.targetLanguages.length, json },
    payload: { encoding, length, slots: [...slots], offsets: [...offsets] },
  };
}

/**
 * Removes segments from the payload of a project. Only the chunks that have them are encoded again.
 * @param bytes the bytes of the payload
 * @param segments the id of the segment in the first slot, and whether the segment of a slot is removed
 * @param head the new fields of the project; absent if they stay as they are
 */
export async function withoutSegments(
  { payload, bytes }: { readonly payload: PayloadFields; readonly bytes: Uint8Array },
  { firstId, isRemoved }: { readonly firstId: number; readonly isRemoved: (slot: number) => boolean },
  head: ProjectHead | undefined,
): Promise<{ readonly payload: PayloadFields; readonly bytes: Uint8Array }> {
  const { encoding, slots, offsets } = payload;
  let [start, hasBefore] = [0, false];

  function change(part: number, plain: Uint8Array): Uint8Array | undefined {
    if (part === 0) return head && headText(head);
    const count = slots[part - 1];
    if (count === undefined) return undefined;
    const removes = Array.from({ length: count }, (_, offset) => isRemoved(start + offset));
    const first = firstId + start;
    start += count;
    // The first segment of a project has no comma before it.
    const isFirst = plain.length > 0 && !hasBefore && plain[0] === COMMA;
    if (!isFirst && !removes.includes(true)) {
      hasBefore ||= plain.length > 0;
      return undefined;
    }
    const kept = textsByOffset(byteText(plain), first).filter((_, offset) => !removes[offset]);
    const text = kept.length > 0 && hasBefore ? `,${kept.join(',')}` : kept.join(',');
    hasBefore ||= kept.length > 0;
    return bytesIn(text);
  }

  const text = await changeParts({ encoding, bytes, length: payload.length }, offsets, change);
  const { tasks: _, ...others } = payload;
  return { payload: { ...others, length: text.length, offsets: [...text.offsets] }, bytes: text.bytes };
}

const COMMA = 0x2c;

/** Adds the tasks to a payload, behind the project. @param bytes the bytes of the project */
export function withTasks(
  payload: PayloadFields,
  bytes: Uint8Array,
  tasks: EncodedText | undefined,
): { readonly payload: PayloadFields; readonly bytes: Uint8Array } {
  if (!tasks) return { payload, bytes };
  const { encoding, length } = tasks;
  const place = { from: bytes.length, to: bytes.length + tasks.bytes.length, encoding, length };
  return { payload: { ...payload, tasks: place }, bytes: Buffer.concat([bytes, tasks.bytes]) };
}

/** Encodes the first part of the payload: the fields of a project without its segments. */
export function headText(head: ProjectHead): Buffer {
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"segments":[`);
}

const END = Buffer.from(']}');

/** Writes a chunk, in pieces. Every segment but the first of the project has a comma before it. */
function chunkPieces(segments: readonly SegmentAnswer[], hasSegmentsBefore: boolean): Buffer[] {
  return Array.from(entryTexts(segments, hasSegmentsBefore ? ',' : ''), (text) => Buffer.from(text));
}

/** A segment with the fields that are needed to translate it. */
export type StoredSegment = Pick<SegmentAnswer, 'id' | 'customId' | 'content'>;

/** Parses the segments of a chunk. @param bytes the bytes of the chunk in the payload */
export function segmentsIn({ encoding }: PayloadFields, bytes: Uint8Array): StoredSegment[] {
  const text = Buffer.from(decodePart(encoding, bytes)).toString();
  const segments: unknown[] = JSON.parse(`[${text.startsWith(',') ? text.slice(1) : text}]`);
  if (!segments.every(isStoredSegment)) throw new TypeError('The payload does not contain valid segments');
  return segments;
}

// A schema would need as much time as JSON.parse.
function isStoredSegment(value: unknown): value is StoredSegment {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('content' in value)) return false;
  const customId = 'customId' in value ? value.customId : undefined;
  const isText = customId === undefined || typeof customId === 'string';
  return typeof value.id === 'number' && typeof value.content === 'string' && isText;
}

/**
 * Returns the JSON of the segments of a chunk by their offsets, without parsing it. A deleted segment has no entry.
 * @param bytes the bytes of the chunk in the payload
 * @param firstId the id of the segment in the first slot of the chunk
 */
export function segmentTextsIn({ encoding }: PayloadFields, bytes: Uint8Array, firstId: number): ByteText[] {
  return textsByOffset(byteText(decodePart(encoding, bytes)), firstId);
}

function textsByOffset(text: ByteText, firstId: number): ByteText[] {
  const texts: ByteText[] = [];
  // Only a segment begins like this: in a string, JSON escapes the quotation marks.
  for (const rest of (text.startsWith(',') ? text : `,${text}`).split(',{"id":').slice(1)) {
    texts[Number.parseInt(rest, 10) - firstId] = `{"id":${rest}`;
  }
  return texts;
}

/** Parses the fields of a project. @param bytes the bytes of the first part of the payload */
export function headIn({ encoding }: PayloadFields, bytes: Uint8Array): ProjectHead {
  const text = Buffer.from(decodePart(encoding, bytes)).toString();
  const value: unknown = JSON.parse(`${text}]}`);
  if (!isHead(value)) throw new TypeError('The payload does not contain a valid project');
  const { segments: _, ...head } = value;
  return head;
}

/** Whether a value has the fields of a project. Callers keep the value itself, with its order of fields. */
export function isHead(value: unknown): value is ProjectHead {
  return ProjectHead.safeParse(value).success;
}

/** Replaces the fields of a project in its document. The segments are not encoded again. */
export function withHead(
  document: ProjectDocument,
  { encoding, offsets }: PayloadFields,
  head: ProjectHead,
): ProjectDocument {
  const { json } = document;
  const [from = 0, to = 0] = offsets;
  const before = decodePart(encoding, json.bytes.subarray(from, to));
  return { ...document, json: withFirstPart(json, before, headText(head), to) };
}

/** Returns the range of a chunk in the payload. */
export function chunkRange({ offsets }: PayloadFields, chunk: number): { readonly from: number; readonly to: number } {
  const [from = 0, to = 0] = offsets.slice(chunk + 1, chunk + 3);
  return { from, to };
}
