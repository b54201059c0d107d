import * as z from 'zod/mini';
import type { Item, Key, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/*
 * The item of a custom id says whether a project has the custom id:
 *
 *   state    the store has               transitions
 *   free     no item                     → taken: by a creation
 *                                        → freed: by a deletion with a revision that finds no project
 *   taken    an item that never expires  → free: by a deletion, if no revision of the project is remembered
 *                                        → freed: by a deletion, if one is
 *   freed    an item that expires, with  → taken: by a creation, which keeps the revision
 *            the remembered revision     → freed: by another deletion that finds no project
 *                                        → free: by time
 *
 * A creation takes a custom id as if it were free. If the custom id is freed, the store refuses that. So only a creation
 * that has a revision to keep reads one.
 */

/** The schema of the data in the item of a custom id that a project has. */
export const CustomIdRecord = recordOf(() => ({
  projectId: z.int(),
  /** When the project was created, in milliseconds since 1970. */
  createdAtMs: z.number(),
}));
export type CustomIdRecord = z.infer<typeof CustomIdRecord>;

/** A freed custom id, as it was read from the store. */
export interface FreedCustomId {
  readonly version: number;
  /** When the remembered revision ends, in milliseconds since 1970. It may have ended. */
  readonly untilMs: number;
}

/** Returns whether a custom id is taken, from its item. */
export function isTaken(item: Item | undefined): item is Item {
  return item !== undefined && item.expiresAtMs === undefined;
}

/** Returns a custom id that is freed, from its item; `undefined` if it is free or taken. */
export function freedIn(item: Item | undefined): FreedCustomId | undefined {
  return item?.expiresAtMs === undefined ? undefined : { version: item.version, untilMs: item.expiresAtMs };
}

/** Makes the write that takes a custom id. The store refuses it if the custom id is no longer as it was read. */
export function takeCustomId(key: Key, data: object, freed: FreedCustomId | undefined): Write {
  return freed ? { kind: 'replace', key, data, version: freed.version } : { kind: 'insert', key, data };
}

/** Returns the version of the item of a custom id after `takeCustomId`. */
export function versionAfterTaking(freed: Pick<FreedCustomId, 'version'> | undefined): number {
  return (freed?.version ?? 0) + 1;
}

/**
 * Makes the write that frees a custom id that is taken.
 * @param untilMs when the remembered revision ends, in milliseconds since 1970; `undefined` if there is none
 */
export function freeCustomId(key: Key, version: number, untilMs: number | undefined): Write {
  if (untilMs === undefined) return { kind: 'remove', key, version };
  return { kind: 'replace', key, version, data: {}, expiresAtMs: untilMs };
}

/** Makes the write that frees a custom id that is free, or frees it for longer. The store refuses it if the custom id is taken. */
export function freeForLonger(key: Key, freed: FreedCustomId | undefined, untilMs: number): Write {
  if (freed) return freeCustomId(key, freed.version, untilMs);
  return { kind: 'insert', key, data: {}, expiresAtMs: untilMs };
}
