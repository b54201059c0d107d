import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { Answer } from './connection.ts';

const Created = z.object({ id: z.int(), segments: z.array(z.object({ id: z.int(), content: z.string() })) });
type Created = z.infer<typeof Created>;
const Sent = z.object({ segments: z.array(z.object({ content: z.string() })) });

/**
 * Checks the status of an answer, because a fast but wrong answer must not count.
 * @throws an error if the status differs
 */
export function requireStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`Expected ${status}, got ${answer.head.split('\r\n')[0]}: ${answer.body().toString().slice(0, 500)}`);
}

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
  const isGzip = /^content-encoding: gzip\r$/im.test(answer.head);
  const created = Created.parse(JSON.parse((isGzip ? gunzipSync(answer.body()) : answer.body()).toString()));
  const { segments } = Sent.parse(JSON.parse(Buffer.from(sent).toString()));
  const isSame =
    created.segments.length === segments.length &&
    segments.every(({ content }, index) => created.segments[index]?.content === content);
  if (!isSame) throw new Error('The answer does not hold the segments of the request');
  return created;
}
