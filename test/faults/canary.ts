import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { member, segment, target } from '../support/projects.ts';

/** Something unique in every text that a project has. */
export const CANARY = 'canary';
/** The task of one of its segments. */
export const TASK = 't';
export const FIELDS = {
  customId: `${CANARY} custom id`,
  taskId: `${CANARY} own task`,
  name: `${CANARY} name`,
  description: `${CANARY} description`,
  eventUrl: `https://${CANARY}.example.com/`,
  referenceNumber: `${CANARY} reference`,
  targetLanguages: [
    target({
      additionalInfo: `${CANARY} info`,
      team: [member({ name: `${CANARY} person`, username: `${CANARY}@example.com`, phone: `${CANARY} phone` })],
    }),
  ],
  segments: [
    segment({ content: `${CANARY} content`, notes: `${CANARY} notes` }),
    segment({ content: CANARY, taskId: TASK }),
  ],
};

/** All that the files of a folder hold, one behind the other. */
export function bytesIn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}

const TRACE_BYTES = 32;

/** Pieces of a payload as it was stored, by which it is known again wherever a part of it stays. */
export function tracesOf(payload: Uint8Array): Buffer[] {
  const pieces = Math.floor(payload.length / TRACE_BYTES);
  return Array.from({ length: pieces }, (_, n) =>
    Buffer.from(payload.subarray(n * TRACE_BYTES, (n + 1) * TRACE_BYTES)),
  );
}

/** How many of some traces there are in some bytes. */
export function countIn(bytes: Buffer, traces: readonly Buffer[]): number {
  return traces.filter((trace) => bytes.includes(trace)).length;
}
