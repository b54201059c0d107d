import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { ProjectHead } from '../contract/answer.ts';
import type { Item, Key } from '../storage/port.ts';

/** What the store holds of a project beside the payload of its item, which is the whole project's JSON. */
const ProjectRecord = z.strictObject({
  id: z.int(),
  customId: z.nullable(z.string()),
  targetLanguages: z.int(),
  segments: z.int(),
  tasks: z.int(),
  /** The project without its segments, for lists; absent where it is too large for an item. */
  head: z.optional(ProjectHead),
  /** How the payload is to be read. */
  payload: z.strictObject({ encoding: z.enum(['identity', 'gzip']), length: z.int() }),
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

/** What stays of a deleted project for a while: no content, no name, no address. */
const Tombstone = z.strictObject({
  projectId: z.int(),
  deletedAtUtc: z.string(),
  requestId: z.string(),
  keyId: z.nullable(z.string()),
});
export type Tombstone = z.infer<typeof Tombstone>;

/** How long a deletion is remembered. */
export const TOMBSTONE_MS = 30 * 86_400_000;

/** Under the project's id, and under its custom id's hash for the last project that had it. */
export function tombstoneKeys(companyId: string, id: number, customId: string | null): Key[] {
  return [tombstoneById(companyId, id), ...(customId === null ? [] : [tombstoneByCustomId(companyId, customId)])];
}

export function tombstoneById(companyId: string, id: number): Key {
  return { partition: partitionOf(companyId), sort: `tombstone/${String(id)}` };
}

export function tombstoneByCustomId(companyId: string, customId: string): Key {
  return { partition: partitionOf(companyId), sort: `tombstone-of/${hashOf(customId)}` };
}

export function readTombstone(item: Item): Tombstone {
  return Tombstone.parse(item.data);
}

/** By its hash: a custom id of 255 characters may be longer than a key, and a key outlives content in logs of a store. */
export function customIdKey(companyId: string, customId: string): Key {
  return { partition: partitionOf(companyId), sort: `custom-id/${hashOf(customId)}` };
}

/** A text as part of a key. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

export function readProjectRecord(item: Item): ProjectRecord {
  return ProjectRecord.parse(item.data);
}

export function readCustomIdRecord(item: Item): CustomIdRecord {
  return CustomIdRecord.parse(item.data);
}
