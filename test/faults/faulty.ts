import { Problem } from '../../lib/contract/problem.ts';
import type { Storage } from '../../lib/storage/port.ts';

/** What calls go through. */
export type Through = <T>(call: () => Promise<T>) => Promise<T>;

/** Of a process whose calls come to what they should. */
export const straight: Through = (call) => call();

/**
 * What a call may come to. Of those that stop nobody ever hears again, as when a process dies; where something breaks,
 * every call after that fails too.
 */
export const WAYS = [
  'fails before',
  'fails after',
  'stops before',
  'stops after',
  'breaks before',
  'breaks after',
] as const;
/** The same without those that a failure at the call before shows: to stop before a call is to stop after the last one. */
export const FEWER_WAYS = [
  'fails before',
  'fails after',
  'stops after',
  'breaks after',
] as const satisfies readonly Way[];
export type Way = (typeof WAYS)[number];

/** Each call fails in every way. */
export const everyWay = (): readonly Way[] => WAYS;

const IN_TURN = ['fails before', 'fails after', 'breaks after'] as const;

/** Each call dies, and fails in one of the other ways, which take turns. */
export function twoWaysAt(call: number): readonly Way[] {
  return ['stops after', ...IN_TURN.slice(call % IN_TURN.length).slice(0, 1)];
}

/** Calls some of which fail. */
export interface Faulty {
  readonly through: Through;
  /** How many calls there were. */
  readonly calls: () => number;
  /** Settles once a call has stopped. */
  readonly stopped: Promise<'stopped'>;
}

/**
 * Makes calls fail.
 * @param wayOf what the first, second, … call comes to; `undefined` is what it should come to
 * @param failure what a call fails with, before it has had an effect or after that
 */
export function faulty(wayOf: (call: number) => Way | undefined, failure: (isBefore: boolean) => Error): Faulty {
  let calls = 0;
  let isBroken = false;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<'stopped'>();
  const through: Through = async (call) => {
    const way = isBroken ? 'breaks before' : wayOf(++calls);
    const isBefore = way?.endsWith('before') ?? false;
    isBroken = way?.startsWith('breaks') ?? false;
    if (!isBefore) {
      const result = await call();
      if (way === undefined) return result;
    }
    if (way === 'stops before' || way === 'stops after') {
      stop('stopped');
      return new Promise(() => {});
    }
    throw failure(isBefore);
  };
  return { through, calls: () => calls, stopped };
}

/** What a call of a store fails with. */
export function storeFailure(isBefore: boolean): Problem {
  return new Problem(isBefore ? 'unavailable' : 'outcome-unknown', { detail: 'A planted fault.' });
}

/** A store whose every call goes through a function. */
export function throughout(storage: Storage, through: Through): Storage {
  return {
    read: (key) => through(() => storage.read(key)),
    list: (partition, range) => through(() => storage.list(partition, range)),
    readWithPayload: (key) => through(() => storage.readWithPayload(key)),
    commit: (batch) => through(() => storage.commit(batch)),
  };
}
