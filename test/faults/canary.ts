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
