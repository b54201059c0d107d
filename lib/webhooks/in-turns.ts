/** How many things are done side by side, and for how long. */
export interface Turns<T> {
  readonly atOnce: number;
  /** How many of one group at once. */
  readonly ofAGroup: number;
  readonly groupOf: (item: T) => string;
  /** Asked before each; none is begun any more once it says no. */
  readonly isTimeLeft: () => boolean;
  readonly work: (item: T) => Promise<void>;
}

/**
 * Does something with each item, side by side and in order within each group. A group that is slow leaves room to the
 * others.
 * @returns those for which there was no time
 */
export async function inTurns<T>(items: readonly T[], turns: Turns<T>): Promise<T[]> {
  const { atOnce, ofAGroup, groupOf, isTimeLeft, work } = turns;
  const waiting = [...items];
  const busy = new Map<string, number>();
  const running = new Set<Promise<void>>();

  const begin = (item: T) => {
    const group = groupOf(item);
    busy.set(group, (busy.get(group) ?? 0) + 1);
    const run = work(item).finally(() => {
      busy.set(group, (busy.get(group) ?? 1) - 1);
      running.delete(run);
    });
    running.add(run);
  };

  while (waiting.length > 0 && isTimeLeft()) {
    const next = waiting.findIndex((item) => (busy.get(groupOf(item)) ?? 0) < ofAGroup);
    if (next !== -1 && running.size < atOnce) waiting.splice(next, 1).forEach(begin);
    else await Promise.race(running);
  }
  await Promise.all(running);
  return waiting;
}
