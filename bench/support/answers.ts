import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { Answer } from './connection.ts';

const Created = z.object({ id: z.int(), segments: z.array(z.object({ id: z.int(), content: z.string() })) });
type Created = z.infer<typeof Created>;
const Sent = z.object({ segments: z.array(z.object({ content: z.string() })) });

/** @throws where the status is another one: a quick wrong answer is no result */
export function requireStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`Expected ${status}, got ${answer.head.split('\r\n')[0]}: ${answer.body().toString().slice(0, 500)}`);
}

/** The id in the `Location` of an answer to a create. */
export function createdId({ head }: Answer): number {
  const id = /^location: \S*\/(\d+)\r$/im.exec(head)?.[1];
  if (id === undefined) throw new Error(`An answer to a create says not where: ${head}`);
  return Number(id);
}

/** @throws where the answer's segments, in either coding, are not those that were sent */
export function requireSegments(answer: Answer, sent: Uint8Array): Created {
  const isGzip = /^content-encoding: gzip\r$/im.test(answer.head);
  const created = Created.parse(JSON.parse((isGzip ? gunzipSync(answer.body()) : answer.body()).toString()));
  const { segments } = Sent.parse(JSON.parse(Buffer.from(sent).toString()));
  const isSame =
    created.segments.length === segments.length &&
    segments.every(({ content }, index) => created.segments[index]?.content === content);
  if (!isSame) throw new Error('The answer does not hold the segments that were sent');
  return created;
}
