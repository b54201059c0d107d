import { setImmediate } from 'node:timers/promises';
import { START_MS } from '../world.ts';

interface Timer {
  readonly atMs: number;
  /** Those for the same moment go off in the order in which they were set. */
  readonly order: number;
  readonly goOff: () => void;
}

/** Work that does not come to an end without waiting for something that is no timer. */
const MOST_IDLE_TURNS = 100;

/** A clock on which no real time passes: it jumps from timer to timer. */
export class VirtualClock {
  nowMs = START_MS;
  readonly now = (): number => this.nowMs;
  /** A heap: each is before the two at twice its place and one, and two, further. */
  readonly #timers: Timer[] = [];
  #order = 0;

  /** Whole milliseconds, as clocks have them. */
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((goOff) => this.#push({ atMs: this.nowMs + Math.max(0, Math.ceil(ms)), order: this.#order++, goOff }));

  /**
   * Lets time pass until work is done.
   * @throws where the work waits for something that never comes
   */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // Whoever awaits it is told; nobody does so before the loop ends.
    done.catch(() => undefined);
    for (let idle = 0; !isDone; ) {
      // Everything that can go on without time passing does so before the next timer.
      await setImmediate();
      if (isDone) break;
      const timer = this.#pop();
      idle = timer ? 0 : idle + 1;
      if (idle > MOST_IDLE_TURNS) throw new Error('Nothing is left to be waited for, and the work is not done');
      if (!timer) continue;
      this.nowMs = timer.atMs;
      timer.goOff();
    }
    return done;
  }

  #push(timer: Timer): void {
    let place = this.#timers.push(timer) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.#isBefore(place, above)) break;
      this.#swap(place, above);
      place = above;
    }
  }

  #pop(): Timer | undefined {
    this.#swap(0, this.#timers.length - 1);
    const first = this.#timers.pop();
    for (let place = 0; ; ) {
      const below = 2 * place + 1;
      const next = this.#isBefore(below + 1, below) ? below + 1 : below;
      if (!this.#isBefore(next, place)) return first;
      this.#swap(place, next);
      place = next;
    }
  }

  #isBefore(place: number, other: number): boolean {
    const [one, two] = [this.#timers[place], this.#timers[other]];
    if (!one || !two) return one !== undefined;
    return one.atMs < two.atMs || (one.atMs === two.atMs && one.order < two.order);
  }

  #swap(place: number, other: number): void {
    const [one, two] = [this.#timers[place], this.#timers[other]];
    if (!one || !two) return;
    this.#timers[place] = two;
    this.#timers[other] = one;
  }
}

/** The clock that the machines of Segue take from one time server. Setting it back does not stop the time of the world. */
export class MachineClock {
  readonly #world: VirtualClock;
  #behindMs = 0;

  constructor(world: VirtualClock) {
    this.#world = world;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => this.#world.nowMs - this.#behindMs;

  /** @returns how far it is behind now, in milliseconds */
  setBack(ms: number): number {
    this.#behindMs += ms;
    return this.#behindMs;
  }
}
