/** Where the ids of this service begin. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** Ids a millisecond. 53 bits last until the year 2060 with it. */
const IDS_PER_MS = 8_192;

/** Gives out runs of ids: ascending, never one twice in a process, and hardly ever one twice in two. */
export interface IdSource {
  /** @returns the first of so many consecutive ids */
  take(count: number): number;
}

/**
 * Ids made of the time and a random offset. Two processes may hit on the same project id: the store's condition finds
 * that out, and ids are taken anew. What follows a project's id is unique in the project, and nearly always beyond.
 * @param random uniform in [0, 1)
 */
export function idSource(now: () => number, random: () => number): IdSource {
  let next = 1;
  return {
    take(count) {
      const fresh = (now() - EPOCH_MS) * IDS_PER_MS + Math.floor(random() * IDS_PER_MS);
      const first = Math.max(next, fresh);
      next = first + count;
      return first;
    },
  };
}
