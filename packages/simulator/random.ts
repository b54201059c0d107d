/** A source of pseudo-random numbers. The same seed gives the same numbers in the same order. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. All such numbers are equally likely. */
  next(): number;
  /** Returns a whole number from 0 to `count` - 1. */
  below(count: number): number;
  chance(probability: number): boolean;
  /** Returns a random element of a list. @throws {RangeError} if the list is empty */
  pick<T>(from: readonly T[]): T;
}

/** Creates a source of pseudo-random numbers by Mulberry32, which is fast, and good enough to choose faults. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick(from) {
      const [picked] = from.slice(below(from.length));
      if (picked === undefined) throw new RangeError('The list to choose from is empty');
      return picked;
    },
  };
}
