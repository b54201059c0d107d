import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { Answer } from './connection.ts';

const Created = z.object({ id: z.int(), segments: z.array(z.object({ id: z.int(), content: z.string() })) });
export type Created = z.infer<typeof Created>;

/** @throws where the status is another one: a quick wrong answer is no result */
export function requireStatus(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`Expected ${status}, got ${answer.head.split('\r\n')[0]}: ${answer.body().toString().slice(0, 500)}`);
}

/** Reads a project from an answer in either coding. */
export function projectOf(answer: Answer): Created {
  const isGzip = /^content-encoding: gzip\r$/im.test(answer.head);
  return Created.parse(JSON.parse((isGzip ? gunzipSync(answer.body()) : answer.body()).toString()));
}

/** @throws where the answer's segments are not those that were sent */
export function requireSegments(answer: Answer, sent: Uint8Array): Created {
  const project = projectOf(answer);
  const expected = Sent.parse(JSON.parse(Buffer.from(sent).toString())).segments;
  const isSame =
    project.segments.length === expected.length &&
    expected.every(({ content }, index) => project.segments[index]?.content === content);
  if (!isSame) throw new Error('The answer does not hold the segments that were sent');
  return project;
}

const Sent = z.object({ segments: z.array(z.object({ content: z.string() })) });
