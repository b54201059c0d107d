import { setImmediate } from 'node:timers/promises';
import type { Random } from '../../../packages/simulator/random.ts';
import { storeFailure, type Through } from '../faulty.ts';

/** The probabilities of the faults of a call. */
export interface CallFaults {
  /** The call fails before or after its effect. */
  readonly fails: number;
  /** The call never returns, as if its process had died. */
  readonly stops: number;
}

export const NO_FAULTS: CallFaults = { fails: 0, stops: 0 };

/** A process: its calls wait for their turns, and one of them may stop it for good. */
export interface Process {
  readonly through: Through;
  readonly sleep: (ms: number) => Promise<void>;
}

/** The work of a process. */
export type Work = (process: Process) => Promise<void>;

interface Running {
  isOpen: boolean;
  /** The calls that wait for a turn. */
  readonly waiting: (() => void)[];
}

/**
 * Lets one waiting call after the other go on, in an order that a seed decides. So concurrent work is interleaved at each
 * call of the store or the engine, and the same seed gives the same history.
 */
export class Turns {
  nowMs: number;
  faults: CallFaults = NO_FAULTS;
  readonly #random: Random;

  constructor(random: Random, startMs: number) {
    this.#random = random;
    this.nowMs = startMs;
  }

  readonly now = () => this.nowMs;

  /** Does works at once, each in a process of its own, until each is done or stopped. */
  async run(...works: readonly Work[]): Promise<void> {
    const processes: Running[] = works.map(() => ({ isOpen: true, waiting: [] }));
    const failures: unknown[] = [];
    for (const [n, work] of works.entries()) {
      const running = processes[n];
      if (!running) continue;
      const end = () => {
        running.isOpen = false;
      };
      work(this.#process(running)).then(end, (error: unknown) => {
        failures.push(error);
        end();
      });
    }
    for (;;) {
      await setImmediate();
      const open = processes.filter(({ isOpen }) => isOpen);
      if (open.length === 0) break;
      // A process without a waiting call compresses something in a thread.
      if (open.some(({ waiting }) => waiting.length === 0)) continue;
      const { waiting } = this.#random.pick(open);
      const [next] = waiting.splice(this.#random.below(waiting.length), 1);
      this.nowMs += this.#random.below(5);
      next?.();
    }
    if (failures.length > 0) throw failures[0];
  }

  #process(running: Running): Process {
    const turn = () => new Promise<void>((resolve) => running.waiting.push(resolve));
    return {
      through: async (call) => {
        await turn();
        const { fails, stops } = this.faults;
        const chance = this.#random.next();
        const isBefore = this.#random.chance(0.5);
        if (chance >= fails + stops) return call();
        if (!isBefore) await call();
        if (chance >= stops) throw storeFailure(isBefore);
        running.isOpen = false;
        return new Promise(() => {});
      },
      sleep: async (ms) => {
        const untilMs = this.nowMs + ms;
        while (this.nowMs < untilMs) {
          this.nowMs++;
          await turn();
        }
      },
    };
  }
}
