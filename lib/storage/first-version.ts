import type { Write } from './port.ts';

/** Small enough for a store to count on from it without losing precision. */
const FIRST_VERSIONS = 2 ** 48;

/** A random first version, for an item whose key may have had another item before. @param random from 0 to 1, without 1 */
export function randomFirstVersion(random: () => number): number {
  return 1 + Math.floor(random() * FIRST_VERSIONS);
}

/** The version that a write gives to an item that is not there yet. */
export function firstVersionOf(write: Write): number {
  return ('firstVersion' in write ? write.firstVersion : undefined) ?? 1;
}
