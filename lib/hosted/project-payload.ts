import * as z from 'zod/mini';
import { type Project, ProjectHead, type SegmentAnswer } from '../contract/project-answer.ts';
import { type ByteText, bytesIn, byteText } from '../service/byte-text.ts';
import { type EncodedText, entryTexts } from '../service/encoded-text.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import { decodePart, encodeParts, joinParts, type TextPart, withFirstPart } from '../service/text-parts.ts';
import { nextTurn } from '../service/turn.ts';
import { recordOf } from '../storage/record.ts';

/** The schema of the place of a text behind the project, and of its encoding. */
const Place = recordOf(() => ({
  from: z.int(),
  to: z.int(),
  encoding: z.enum(['identity', 'gzip']),
  length: z.int(),
}));
type Place = z.infer<typeof Place>;

/**
 * The schema of the fields that describe the payload of a project. The payload is the JSON of the project, encoded in
 * parts: the fields of the project, then each chunk of segments in their order, then the end. So a chunk can be read
 * alone.
 */
export const PayloadFields = recordOf(() => ({
  encoding: z.enum(['identity', 'gzip']),
  /** The number of bytes after decoding. */
  length: z.int(),
  /** The number of slots in each chunk of translations. */
  slots: z.array(z.int()),
  /** The number of segments in each chunk of segments. Absent if it is that of slots. */
  counts: z.optional(z.array(z.int())),
  /** Where each part begins in the payload, and where the last part ends, in bytes. */
  offsets: z.array(z.int()),
  /** Where the tasks of many segments are, behind the project. Absent if the item has them. */
  tasks: z.optional(Place),
  /** Where the layout is, behind the project. Absent if the project has the layout of its creation. */
  layout: z.optional(Place),
}));
export type PayloadFields = z.infer<typeof PayloadFields>;

/** Returns the number of segments in each chunk of segments. */
export function countsIn({ counts, slots }: Pick<PayloadFields, 'counts' | 'slots'>): readonly number[] {
  return counts ?? slots;
}

/**
 * Encodes a new project in parts.
 * @param slots the number of segments in each chunk, from `chunkSlots`
 */
export async function encodeProject(
  project: Project,
  slots: readonly number[],
): Promise<{ readonly document: ProjectDocument; readonly payload: PayloadFields }> {
  const { segments, ...head } = project;
  const chunks: Buffer[][] = [];
  let next = 0;
  for (const count of slots) {
    // Other requests run between two chunks.
    if (next > 0) await nextTurn();
    chunks.push(chunkPieces(segments.slice(next, next + count), next > 0));
    next += count;
  }
  const json = await encodeParts([[headText(head)], ...chunks, [END]]);
  const { encoding, length, offsets } = json;
  return {
    document: { id: project.id, segments: segments.length, targetLanguages: project.targetLanguages.length, json },
    payload: { encoding, length, slots: [...slots], offsets: [...offsets] },
  };
}

/** A payload: the fields that describe it, and its bytes. */
export interface Payload {
  readonly payload: PayloadFields;
  readonly bytes: Uint8Array;
}

/** The chunks of segments of a payload. */
export interface PayloadChunks extends Payload {
  /** The number of segments in each chunk. */
  readonly counts: readonly number[];
  /** Decodes a chunk, once. */
  readonly plainOf: (chunk: number) => Uint8Array;
}

/** By which factor a chunk may be longer than others before decoding it needs more memory. */
const EXPECTED = 1.5;

/** Makes the chunks of a payload. */
export function payloadChunks({ payload, bytes }: Payload): PayloadChunks {
  const plain: Uint8Array[] = [];
  // Most chunks are not much longer than others.
  const expected = (EXPECTED * payload.length) / payload.offsets.length;
  const plainOf = (chunk: number) => {
    const { from, to } = chunkRange(payload, chunk);
    const decoded = plain[chunk] ?? decodePart(payload.encoding, bytes.subarray(from, to), expected);
    plain[chunk] = decoded;
    return decoded;
  };
  return { payload, bytes, counts: countsIn(payload), plainOf };
}

/** A chunk of segments: one of another payload, or the JSON of its segments. */
export type NewChunk =
  | { readonly count: number; readonly kept: number }
  | { readonly count: number; readonly texts: readonly ByteText[] };

/**
 * Makes a payload from chunks of another one and new chunks. Those that are kept are not compressed again.
 * @param before the other payload
 * @param head the fields of the project
 * @param slots the number of slots in each chunk of translations
 */
export async function changedPayload(
  { payload, bytes, plainOf }: PayloadChunks,
  head: ProjectHead,
  chunks: readonly NewChunk[],
  slots: readonly number[],
): Promise<Payload> {
  const parts: TextPart[] = [{ plain: headText(head) }];
  for (const [index, chunk] of chunks.entries()) {
    if ('kept' in chunk) {
      const { from, to } = chunkRange(payload, chunk.kept);
      parts.push({ plain: plainOf(chunk.kept), encoded: bytes.subarray(from, to) });
    } else parts.push({ plain: bytesIn((index > 0 ? ',' : '') + chunk.texts.join(',')) });
    await nextTurn();
  }
  const text = await joinParts(payload.encoding, [...parts, { plain: END }]);
  return {
    payload: {
      encoding: text.encoding,
      length: text.length,
      slots: [...slots],
      counts: chunks.map(({ count }) => count),
      offsets: [...text.offsets],
    },
    bytes: text.bytes,
  };
}

/** Adds texts to a payload, behind the project. @param texts the tasks and the layout, if the payload has them */
export function withTexts(
  { payload, bytes }: Payload,
  texts: Readonly<Partial<Record<'tasks' | 'layout', EncodedText | undefined>>>,
): Payload {
  const pieces = [bytes];
  let end = bytes.length;
  const places: Partial<Record<'tasks' | 'layout', Place>> = {};
  for (const name of ['tasks', 'layout'] as const) {
    const text = texts[name];
    if (!text) continue;
    const from = end;
    end += text.bytes.length;
    places[name] = { from, to: end, encoding: text.encoding, length: text.length };
    pieces.push(text.bytes);
  }
  if (pieces.length === 1) return { payload, bytes };
  return { payload: { ...payload, ...places }, bytes: Buffer.concat(pieces) };
}

/** Where the project ends in its payload, in bytes. */
export function projectEnd({ tasks, layout }: PayloadFields): number | undefined {
  return tasks?.from ?? layout?.from;
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

/** A segment with the fields that are needed to translate it, and to compare it with others. */
export type StoredSegment = Pick<SegmentAnswer, 'id' | 'customId' | 'content' | 'taskId'>;

/** Parses the segments of a chunk. @param bytes the bytes of the chunk in the payload */
export function segmentsIn({ encoding }: PayloadFields, bytes: Uint8Array): StoredSegment[] {
  return parsedSegments(decodePart(encoding, bytes));
}

/** Parses the segments of a chunk. @param plain its decoded bytes */
export function parsedSegments(plain: Uint8Array): StoredSegment[] {
  const text = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString();
  const segments: unknown[] = JSON.parse(`[${text.startsWith(',') ? text.slice(1) : text}]`);
  if (!segments.every(isStoredSegment)) throw new TypeError('The payload does not contain valid segments');
  return segments;
}

// A schema would need as much time as JSON.parse.
function isStoredSegment(value: unknown): value is StoredSegment {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('content' in value)) return false;
  const texts = ['customId' in value ? value.customId : undefined, 'taskId' in value ? value.taskId : undefined];
  const areTexts = texts.every((text) => text === undefined || typeof text === 'string');
  return typeof value.id === 'number' && typeof value.content === 'string' && areTexts;
}

/**
 * Returns the JSON of the segments of a chunk in their order, without parsing it.
 * @param bytes the bytes of the chunk in the payload
 */
export function segmentTextsIn({ encoding }: PayloadFields, bytes: Uint8Array): ByteText[] {
  return textsOf(decodePart(encoding, bytes));
}

/** Returns the JSON of the segments of a chunk like `segmentTextsIn`. @param plain its decoded bytes */
export function textsOf(plain: Uint8Array): ByteText[] {
  const text = byteText(plain);
  // Only a segment begins like this: in a string, JSON escapes the quotation marks.
  const [, ...texts] = (text.startsWith(',') ? text : `,${text}`).split(',{"id":');
  return texts.map((rest) => `{"id":${rest}`);
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
