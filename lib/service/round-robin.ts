/** An item of a `RoundRobin`. */
interface Shared {
  /** The name of its share: a company, or nothing for what belongs to none. */
  readonly share: string;
}

/**
 * A queue that is shared round robin: first goes the share that was served longest ago, with its oldest item. So a share
 * with one item waits for one item of each other share, however many items those have.
 */
export class RoundRobin<T extends Shared> {
  /** The waiting items of each share. The share that goes first is the first one. */
  readonly #shares = new Map<string, Set<T>>();

  /** Whether no item waits. */
  get isEmpty(): boolean {
    return this.#shares.size === 0;
  }

  /** Adds an item, as the newest of its share. */
  add(item: T): void {
    this.#shares.set(item.share, this.#of(item).add(item));
  }

  has(item: T): boolean {
    return this.#of(item).has(item);
  }

  /** Returns the item that goes first. An item that may not go lets those of other shares overtake it. */
  first(mayGo: (item: T) => boolean = () => true): T | undefined {
    for (const [oldest] of this.#shares.values()) if (oldest && mayGo(oldest)) return oldest;
    return undefined;
  }

  /** Removes an item that goes. Its share goes behind the others. */
  take(item: T): void {
    const items = this.#of(item);
    items.delete(item);
    this.#shares.delete(item.share);
    if (items.size > 0) this.#shares.set(item.share, items);
  }

  /** Removes an item that does not want to go any more. Its share keeps its place. */
  remove(item: T): void {
    const items = this.#of(item);
    items.delete(item);
    if (items.size === 0) this.#shares.delete(item.share);
  }

  #of({ share }: T): Set<T> {
    return this.#shares.get(share) ?? new Set();
  }
}
