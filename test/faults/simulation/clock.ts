import { setImmediate } from 'node:timers/promises';
import { START_MS } from '../world.ts';

interface Timer {
  readonly atMs: number;
  readonly goOff: () => void;
}

/** Work that does not come to an end without waiting for something that is no timer. */
const MAX_IDLE_TURNS = 100;

/** A clock on which no real time passes: it jumps from timer to timer. */
export class VirtualClock {
  nowMs = START_MS;
  readonly now = (): number => this.nowMs;
  /** The latest first; of those for the same moment, the one that was set last. */
  readonly #timers: Timer[] = [];

  /** Whole milliseconds, as clocks have them. */
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((goOff) => {
      const atMs = this.nowMs + Math.max(0, Math.ceil(ms));
      const place = this.#timers.findLastIndex((timer) => timer.atMs > atMs) + 1;
      this.#timers.splice(place, 0, { atMs, goOff });
    });

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
      const timer = this.#timers.pop();
      idle = timer ? 0 : idle + 1;
      if (idle > MAX_IDLE_TURNS) throw new Error('Nothing is left to be waited for, and the work is not done');
      if (!timer) continue;
      this.nowMs = timer.atMs;
      timer.goOff();
    }
    return done;
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
