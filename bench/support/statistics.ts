/** Returns the median of some numbers. For an even count, it is the mean of the two middle numbers. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('Nothing was measured');
  return (lower + upper) / 2;
}

/** Runs some work, and returns its result and how many milliseconds it took. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** A measurement. Each call measures once, and returns the value in the unit of the row. */
export type Candidate = () => Promise<number>;

export interface Rounds {
  readonly rounds: number;
  /** How many rounds run first and do not count. */
  readonly warmUp: number;
}

/**
 * Measures candidates in turn, round after round. Other load on the machine therefore affects all candidates alike.
 * @returns a function that returns the values of a candidate
 */
export async function takeTurns<T>(
  candidates: readonly (() => Promise<T>)[],
  { rounds, warmUp }: Rounds,
): Promise<(candidate: () => Promise<T>) => readonly T[]> {
  const measured = new Map(candidates.map((candidate) => [candidate, [] as T[]]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const [candidate, values] of measured) {
      const value = await candidate();
      if (round >= 0) values.push(value);
    }
  }
  return (candidate) => measured.get(candidate) ?? [];
}

/**
 * Measures candidates in turn, like `takeTurns`.
 * @returns a function that returns the median of a candidate
 */
export async function interleave(
  candidates: readonly Candidate[],
  rounds: Rounds,
): Promise<(candidate: Candidate) => number> {
  const valuesOf = await takeTurns(candidates, rounds);
  return (candidate) => median(valuesOf(candidate));
}
