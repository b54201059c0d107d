import { Problem } from '../../lib/contract/problem.ts';
import type { Storage } from '../../lib/storage/port.ts';

/** A function that runs every call of a process, and may make it fail. */
export type Through = <T>(call: () => Promise<T>) => Promise<T>;

/** Runs every call without a fault. */
export const straight: Through = (call) => call();

/**
 * The ways in which a call can fail. A call that stops never returns, as if the process had died. After a call that
 * breaks, every later call fails too.
 */
export const WAYS = [
  'fails before',
  'fails after',
  'stops before',
  'stops after',
  'breaks before',
  'breaks after',
] as const;
/**
 * The ways without those that the call before already tests: stopping before a call is stopping after the previous one.
 */
export const FEWER_WAYS = [
  'fails before',
  'fails after',
  'stops after',
  'breaks after',
] as const satisfies readonly Way[];
export type Way = (typeof WAYS)[number];

/** Returns every way, for each call. */
export const everyWay = (): readonly Way[] => WAYS;

const IN_TURN = ['fails before', 'fails after', 'breaks after'] as const;

/** Returns two ways for each call: its process dies, and one of the other ways in turn. */
export function twoWaysAt(call: number): readonly Way[] {
  return ['stops after', ...IN_TURN.slice(call % IN_TURN.length).slice(0, 1)];
}

/** Calls of which some fail. */
export interface Faulty {
  readonly through: Through;
  /** Returns the number of calls. */
  readonly calls: () => number;
  /** Resolves once a call has stopped. */
  readonly stopped: Promise<'stopped'>;
}

/**
 * Makes some calls fail.
 * @param wayOf returns how the call with this number fails; `undefined` lets it succeed
 * @param failure returns the error of a call, which fails before or after its effect
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

/** Returns the error of a failed call to the store. */
export function storeFailure(isBefore: boolean): Problem {
  return new Problem(isBefore ? 'unavailable' : 'outcome-unknown', { detail: 'A planted fault.' });
}

/** Returns a store that passes every call to a function. */
export function throughout(storage: Storage, through: Through): Storage {
  return {
    read: (key) => through(() => storage.read(key)),
    list: (partition, range) => through(() => storage.list(partition, range)),
    readWithPayload: (key) => through(() => storage.readWithPayload(key)),
    readPayloadRange: (item, range) => through(() => storage.readPayloadRange(item, range)),
    commit: (batch) => through(() => storage.commit(batch)),
  };
}

/** Returns a store that makes some calls in another way. */
export function storeWith(storage: Storage, calls: Partial<Storage>): Storage {
  return { ...throughout(storage, straight), ...calls };
}
