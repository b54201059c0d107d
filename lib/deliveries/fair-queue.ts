import { remember } from '../service/recent.ts';
import type { Due, DueList, OfCompany } from './due-list.ts';

/** Waiting items that share a name: those of a company, of a group of it, or with the same lock. */
class Share<T> {
  /** How many items of the share run. */
  running = 0;
  readonly max: number;
  /** The waiting items of a share without parts. */
  readonly items: T[] = [];
  readonly parts = new Map<string, Share<T>>();
  /** The parts of which an item may start, by how many of their items run. The first part of a set waits longest. */
  readonly #ready: Set<Share<T>>[] = [];

  constructor(max: number) {
    this.max = max;
  }

  /** Returns the part that goes first: of those with the fewest running items, the one that waits longest. */
  first(): Share<T> | undefined {
    for (const parts of this.#ready) for (const part of parts ?? []) return part;
    return undefined;
  }

  /**
   * Counts an item of a part that starts (1), ends (-1) or waits (0). A part whose number of running items changes goes
   * behind those with as many.
   */
  count(part: Share<T>, change: 1 | 0 | -1): void {
    if (change !== 0) this.#ready[part.running]?.delete(part);
    part.running += change;
    const mayStart = part.running < part.max && (part.items.length > 0 || part.first() !== undefined);
    if (!mayStart) return;
    this.#ready[part.running] ??= new Set();
    this.#ready[part.running]?.add(part);
  }
}

/** How a queue shares starts out. */
export interface FairShares<T> {
  /** Returns the names of an item's company, of its group in the company, and of its lock in the group, if it has one. */
  readonly pathOf: (item: T) => readonly string[];
  /** How many items of one group may run at once. */
  readonly maxRunningOfGroup: number;
}

/**
 * A queue that shares starts out by company first, then by group. The next item is of the company with the fewest running
 * items, and of the group of it with the fewest. Of equals, the one that has waited longest since its last start goes first. So a
 * company with one item starts next, however many items the others have. The time for a start does not grow with the
 * number of items.
 */
export class FairQueue<T> {
  readonly #shares: FairShares<T>;
  readonly #all = new Share<T>(Number.POSITIVE_INFINITY);
  readonly #waiting = new Set<T>();

  /**
   * @param waiting the items that wait; those of the company and the group that have waited longest come first
   * @param running the items that run already, and count in their shares
   */
  constructor(shares: FairShares<T>, waiting: Iterable<T>, running: Iterable<T>) {
    this.#shares = shares;
    for (const item of running) this.#count(item, 1);
    for (const item of waiting) {
      this.#waiting.add(item);
      this.#pathOf(item).at(-1)?.items.push(item);
      this.#count(item, 0);
    }
  }

  /** The items that have not started. */
  get waiting(): ReadonlySet<T> {
    return this.#waiting;
  }

  /**
   * Starts the next item. A company may have as many running items as there are free places. So one company
   * alone takes half of the places, and several never take all of them.
   * @param free how many places are free
   * @returns `undefined` if no item may start
   */
  start(free: number): T | undefined {
    let share = this.#all.first();
    if (!share || share.running >= free) return undefined;
    while (share.items.length === 0) {
      const part: Share<T> | undefined = share.first();
      if (!part) return undefined;
      share = part;
    }
    const item = share.items.shift();
    if (item === undefined) return undefined;
    this.#waiting.delete(item);
    this.#count(item, 1);
    return item;
  }

  /** Ends an item that runs. */
  end(item: T): void {
    this.#count(item, -1);
  }

  #count(item: T, change: 1 | 0 | -1): void {
    const path = this.#pathOf(item);
    for (let level = path.length - 1; level >= 0; level--) {
      const [share, part] = [path[level - 1] ?? this.#all, path[level]];
      if (part) share.count(part, change);
    }
  }

  /** Returns the shares of an item, from that of its company on. */
  #pathOf(item: T): Share<T>[] {
    const limits = [Number.POSITIVE_INFINITY, this.#shares.maxRunningOfGroup, 1];
    let share = this.#all;
    return this.#shares.pathOf(item).map((name, level) => {
      const part = share.parts.get(name) ?? new Share<T>(limits[level] ?? 1);
      share.parts.set(name, part);
      share = part;
      return part;
    });
  }
}

/**
 * Remembers when work of each company, and of each of its groups, has last started. A worker lists its due entries again and
 * again, and has more busy companies than places: without this, the company with the oldest entries would always go first.
 */
export class LastStarts<Ref extends OfCompany> {
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
