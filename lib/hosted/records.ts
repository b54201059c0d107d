import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { ProjectHead } from '../contract/answer.ts';
import type { Item, Key } from '../storage/port.ts';

/** What the store holds of a project beside its payload, which is the whole project's JSON. */
export const ProjectRecord = z.strictObject({
  head: ProjectHead,
  segments: z.int(),
  tasks: z.int(),
  payload: z.strictObject({ id: z.string(), encoding: z.enum(['identity', 'gzip']), length: z.int() }),
});
export type ProjectRecord = z.infer<typeof ProjectRecord>;

/** Which project has a custom id. */
const CustomIdRecord = z.strictObject({ projectId: z.int() });
export type CustomIdRecord = z.infer<typeof CustomIdRecord>;

export const PROJECTS = 'project/';

export function partitionOf(companyId: string): string {
  return `company/${companyId}`;
}

export function projectKey(companyId: string, id: number): Key {
  return { partition: partitionOf(companyId), sort: projectSort(id) };
}

/** Padded to the 16 digits of 2^53, so that the order of the texts is that of the numbers. */
export function projectSort(id: number): string {
  return PROJECTS + String(id).padStart(16, '0');
}

/** By its hash: a custom id of 255 characters may be longer than a key, and a key outlives content in logs of a store. */
export function customIdKey(companyId: string, customId: string): Key {
  const hash = createHash('sha256').update(customId).digest('base64url');
  return { partition: partitionOf(companyId), sort: `custom-id/${hash}` };
}

export function readProjectRecord(item: Item): ProjectRecord {
  return ProjectRecord.parse(item.data);
}

export function readCustomIdRecord(item: Item): CustomIdRecord {
  return CustomIdRecord.parse(item.data);
}
