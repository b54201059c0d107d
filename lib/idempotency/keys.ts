import { createHash } from 'node:crypto';
import type { Key } from '../storage/port.ts';

export const PROJECTS = 'project/';

/** Everything of a company is in one partition. */
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
  return { partition: partitionOf(companyId), sort: `custom-id/${hashOf(customId)}` };
}

/** A text as part of a key. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
