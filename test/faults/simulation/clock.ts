import { nextTurn } from '../../../lib/service/turn.ts';
import { NOW_MS } from '../../lib/support.ts';

interface Timer {
  readonly atMs: number;
  readonly goOff: () => void;
}

/** The limit for turns of the event loop without a timer. More means that the work waits for something else. */
const MAX_IDLE_TURNS = 100;

/** A clock on which no real time passes. It jumps from timer to timer. */
export class VirtualClock {
  nowMs = NOW_MS;
  readonly now = (): number => this.nowMs;
  /** The timers, latest first. Of timers for the same moment, the one that was set last comes first. */
  readonly #timers: Timer[] = [];
  readonly #turns: number;

  /**
   * @param turns how many turns of the event loop the work between two timers may take. Some work waits for several turns,
   *   so that other requests run.
   */
  constructor(turns = 20) {
    this.#turns = turns;
  }

  /** Waits for a whole number of milliseconds, as real timers do. */
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((goOff) => {
      const atMs = this.nowMs + Math.max(0, Math.ceil(ms));
      const place = this.#timers.findLastIndex((timer) => timer.atMs > atMs) + 1;
      this.#timers.splice(place, 0, { atMs, goOff });
    });

  /**
   * Lets time pass until the work is done.
   * @throws if the work waits for something that never comes
   */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // The loop ends before anything awaits this promise, so its rejection must not count as unhandled.
    done.catch(() => undefined);
    for (let idle = 0; !isDone; ) {
      // Runs all work that needs no time before the next timer, and that which waits for a turn before this call.
      for (let turn = 0; turn < this.#turns && !isDone; turn++) await nextTurn();
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

/** The clock that Segue's machines take from one time server. Setting it back does not stop the world's clock. */
export class MachineClock {
  readonly #world: VirtualClock;
  #behindMs = 0;

  constructor(world: VirtualClock) {
    this.#world = world;
  }

  /** Returns the time in milliseconds since 1970. */
  readonly now = (): number => this.#world.nowMs - this.#behindMs;

  /**
   * Sets the clock back.
   * @returns the total that it is now behind, in milliseconds
   */
  setBack(ms: number): number {
    this.#behindMs += ms;
    return this.#behindMs;
  }
}
