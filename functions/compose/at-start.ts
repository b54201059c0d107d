import type { Key } from '../../lib/storage/port.ts';

/** No item is ever there. */
export const NOTHING: Key = { partition: 'nobody', sort: 'nothing' };

/**
 * Waits for first reads, side by side: they make clients ready. While a function starts it has a whole CPU, and often
 * nobody waits. What cannot be read now is read by the first request.
 */
export async function readAtStart(...reads: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(reads);
}
