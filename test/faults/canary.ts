import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { member, segment, target } from '../support/projects.ts';

/** A unique text that is part of every text of a project. */
export const CANARY = 'canary';
/** The task of one of the project's segments. */
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

/** Returns the bytes of all files of a folder, one after the other. */
export function bytesIn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}
