import { remember } from '../service/recent.ts';
import type { Due, DueList } from './due-list.ts';

/**
 * Remembers when work of each company, and of each of its groups, has last started. A worker lists its due entries again and
 * again, and has more busy companies than places: without this, the company with the oldest entries would always go first.
 */
export class LastStarts<Ref> {
  readonly #pathOf: DueList<Ref>['pathOf'];
  /** The last starts of companies and of groups. Those that are forgotten have waited longest. */
  readonly #startedMs = [new Map<string, number>(), new Map<string, number>()];

  constructor({ pathOf }: Pick<DueList<Ref>, 'pathOf'>) {
    this.#pathOf = pathOf;
  }

  /** Remembers that work on an entry starts. */
  add(ref: Ref, nowMs: number): void {
    for (const [map, name] of this.#shares(ref)) remember(map, name, nowMs);
  }

  /**
   * Returns entries in the order of a queue: first those of the company that has waited longest, and of the group of it that
   * has. A company without a start has waited since its first entry was due, so that a company which adds
   * one entry after the other does not overtake those that wait.
   * @param entries the entries, the first due first
   */
  inOrder(entries: readonly Due<Ref>[], nowMs: number): Due<Ref>[] {
    const ranked = entries.map((entry) => ({
      entry,
      // A time in the future is from a wrong clock, and does not say how long the entry has waited.
      ranks: this.#shares(entry).map(
        ([map, name]) => [map.get(name), entry.dueMs].find((ms = Number.POSITIVE_INFINITY) => ms <= nowMs) ?? 0,
      ),
    }));
    const compare = (one: readonly number[], other: readonly number[]) =>
      one.map((rank, level) => rank - (other[level] ?? 0)).find((difference) => difference !== 0) ?? 0;
    return ranked.sort((one, other) => compare(one.ranks, other.ranks)).map(({ entry }) => entry);
  }

  /** Returns the names of an entry's company and group, with the maps that have them. */
  #shares(ref: Ref): [Map<string, number>, string][] {
    const path = this.#pathOf(ref);
    return this.#startedMs.map((map, level) => [map, path.slice(0, level + 1).join(' ')]);
  }
}
