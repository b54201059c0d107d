import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { Answer } from './connection.ts';

const Created = z.looseObject({
  id: z.int(),
  targetLanguages: z.array(z.looseObject({ targetLanguageCode: z.string() })),
  segments: z.array(z.object({ id: z.int(), content: z.string() })),
});
export type Created = z.infer<typeof Created>;
const Sent = z.object({ segments: z.array(z.object({ content: z.string() })) });

/**
 * Checks the status of an answer, because a fast but wrong answer must not count.
 * @throws an error if the status differs
 */
export function requireStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`Expected ${status}, got ${answer.head.split('\r\n')[0]}: ${answer.body().toString().slice(0, 500)}`);
}

/** Returns the body of an answer without its compression. */
export function plainBody(answer: Answer): Buffer {
  return plainBytes(answer.body());
}

/** Decompresses bytes, if they are a gzip file. */
export function plainBytes(bytes: Buffer): Buffer {
  return bytes[0] === GZIP_MAGIC ? gunzipSync(bytes) : bytes;
}

/** The first byte of a gzip file (RFC 1952). No JSON begins with it. */
const GZIP_MAGIC = 0x1f;

/** Returns the project's id in the header `Location` of a creation's answer. */
export function createdId({ head }: Answer): number {
  const id = /^location: \S*\/(\d+)\r$/im.exec(head)?.[1];
  if (id === undefined) throw new Error(`The answer to a creation has no Location with an id: ${head}`);
  return Number(id);
}

/**
 * Checks that an answer, compressed or not, holds the segments of the request.
 * @throws an error if a segment differs
 */
export function requireSegments(answer: Answer, sent: Uint8Array): Created {
  const created = Created.parse(JSON.parse(plainBody(answer).toString()));
  const { segments } = Sent.parse(JSON.parse(Buffer.from(sent).toString()));
  const isSame =
    created.segments.length === segments.length &&
    segments.every(({ content }, index) => created.segments[index]?.content === content);
  if (!isSame) throw new Error('The answer does not hold the segments of the request');
  return created;
}
