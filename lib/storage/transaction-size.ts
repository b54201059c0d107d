import { INSIDE, isInside, type Write } from './port.ts';

/** How many operations a transaction of DynamoDB has at most, and so a commit. */
export const MAX_OPERATIONS = 100;
/** How many operations one write takes at most: its item, its payload, and the markers of a new and a dropped object. */
export const MAX_OF_WRITE = 4;

/** Returns how many operations the store on AWS needs at most for some writes. Any payload outside its item may be an object. */
export function operationsOf(writes: readonly Write[]): number {
  return writes.reduce((sum, write) => {
    const adds = 'bytes' in write && write.bytes !== undefined && !isInside(write.bytes);
    const drops = 'drops' in write && write.drops !== undefined && write.drops !== INSIDE;
    return sum + 1 + Number(adds || drops) + Number(adds) + Number(drops);
  }, 0);
}
