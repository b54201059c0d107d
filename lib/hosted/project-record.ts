import * as z from 'zod/mini';
import { HEAD_FIELDS } from '../idempotency/project-item.ts';
import type { Item } from '../storage/port.ts';

/** What the store holds of a project beside the payload of its item, which is the whole project's JSON. */
const ProjectRecord = z.strictObject({
  id: z.int(),
  customId: z.nullable(z.string()),
  targetLanguages: z.int(),
  segments: z.int(),
  tasks: z.int(),
  ...HEAD_FIELDS,
  /** How the payload is to be read. */
  payload: z.strictObject({ encoding: z.enum(['identity', 'gzip']), length: z.int() }),
});
export type ProjectRecord = z.infer<typeof ProjectRecord>;

/** Which project has a custom id. */
const CustomIdRecord = z.strictObject({ projectId: z.int() });
export type CustomIdRecord = z.infer<typeof CustomIdRecord>;

export function readProjectRecord(item: Item): ProjectRecord {
  return ProjectRecord.parse(item.data);
}

export function readCustomIdRecord(item: Item): CustomIdRecord {
  return CustomIdRecord.parse(item.data);
}
