import { Problem } from '../../lib/contract/problem.ts';
import type { Storage } from '../../lib/storage/port.ts';

/** What a call of the store may come to. Of the last two nobody ever hears again, as when a process dies. */
export const WAYS = ['fails before', 'fails after', 'stops before', 'stops after'] as const;
export type Way = (typeof WAYS)[number];

/** A store some of whose calls fail. */
export interface Faulty {
  readonly storage: Storage;
  /** How many calls there were. */
  readonly calls: () => number;
  /** Settles once a call has stopped. */
  readonly stopped: Promise<'stopped'>;
}

/**
 * Makes calls of a store fail.
 * @param wayOf what the first, second, … call comes to; `undefined` is what it should come to
 */
export function faulty(storage: Storage, wayOf: (call: number) => Way | undefined): Faulty {
  let calls = 0;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'stopped'>();
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const way = wayOf(++calls);
    const isBefore = way === 'fails before' || way === 'stops before';
    if (!isBefore) {
      const result = await work();
      if (way === undefined) return result;
    }
    if (way === 'stops before' || way === 'stops after') {
      stop('stopped');
      return new Promise(() => {});
    }
    throw new Problem(isBefore ? 'unavailable' : 'outcome-unknown', { detail: 'A planted fault.' });
  };
  return { storage: throughout(storage, run), calls: () => calls, stopped };
}

/** A store whose every call goes through a function. */
export function throughout(storage: Storage, run: <T>(work: () => Promise<T>) => Promise<T>): Storage {
  return {
    read: (key) => run(() => storage.read(key)),
    list: (partition, range) => run(() => storage.list(partition, range)),
    readWithPayload: (key) => run(() => storage.readWithPayload(key)),
    commit: (batch) => run(() => storage.commit(batch)),
  };
}
