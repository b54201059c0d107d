import { createHash } from 'node:crypto';
import type { Key } from '../storage/port.ts';

/** The prefix of the sort keys of all projects. */
export const PROJECT_PREFIX = 'project/';

const COMPANY = 'company/';

/** Returns the partition of a company, which contains all items of the company. */
export function companyPartition(companyId: string): string {
  return COMPANY + companyId;
}

/** Returns the id of the company with this partition. */
export function companyIn(partition: string): string {
  return partition.slice(COMPANY.length);
}

/** Returns the storage key of a project. */
export function projectKey(companyId: string, id: number): Key {
  return { partition: companyPartition(companyId), sort: projectSort(id) };
}

/** Returns the sort key of a project. */
export function projectSort(id: number): string {
  return PROJECT_PREFIX + paddedId(id);
}

/** Pads a project id to 16 digits, the length of 2^53, so that sort keys are in order of id. */
export function paddedId(id: number): string {
  return String(id).padStart(16, '0');
}

/**
 * Returns the storage key of a custom id. The key contains a hash, because 255 characters may be too long for a key.
 * Also, a store may keep keys in its logs after the content is deleted.
 */
export function customIdKey(companyId: string, customId: string): Key {
  return hashedCustomIdKey(companyId, hashOf(customId));
}

/** Returns the storage key of a custom id, from its hash. */
export function hashedCustomIdKey(companyId: string, customIdHash: string): Key {
  return { partition: companyPartition(companyId), sort: `custom-id/${customIdHash}` };
}

/** Hashes a text with SHA-256, for use in a storage key. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
