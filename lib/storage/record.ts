import type * as z from 'zod/mini';
import { looseObject } from '../contract/lazy-object.ts';
import { Problem } from '../contract/problem.ts';

/**
 * Makes the schema of a record, or of an object in a record. Fields that it does not know stay in the value: a newer
 * release may have written them, and this release runs beside it during a deployment and after a rollback. Code that
 * replaces a record must keep them, so it spreads the record that it read. The type does not show them.
 */
// Tells esbuild to leave out of a bundle the schemas that it does not use. @__NO_SIDE_EFFECTS__
export function recordOf<Shape extends z.core.$ZodShape>(shape: () => Shape): z.ZodMiniObject<Shape> {
  return looseObject(shape);
}

/*
 * A release may add fields to its records. A release that changes them in another way, so that this one would misread
 * them, adds a field `v`.
 */

/** Encodes the data of an item for the store. */
export function encodeData(data: unknown): string {
  return JSON.stringify(data);
}

/**
 * Decodes the data of an item from the store.
 * @throws {Problem} `unavailable` if a newer release wrote the item in a format that this release does not know
 */
export function decodeData(text: string): unknown {
  const data: unknown = JSON.parse(text);
  if (typeof data !== 'object' || data === null || !('v' in data)) return data;
  throw new Problem('unavailable', {
    detail: 'A newer version of Segue wrote this data, so this version cannot read it. Send the request again later.',
    retryAfterSeconds: 60,
  });
}
