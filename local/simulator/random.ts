/** Pseudo-random numbers: the same seed gives the same numbers in the same order. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number from 0 to `count` - 1. */
  below(count: number): number;
  chance(probability: number): boolean;
  /** @throws {RangeError} if the list is empty */
  pick<T>(from: readonly T[]): T;
}

/** Makes pseudo-random numbers by Mulberry32, which is fast and even enough to choose among faults. */
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
      if (picked === undefined) throw new RangeError('There is nothing to choose from');
      return picked;
    },
  };
}
