/** How many entries have ended, and how many of them failed. */
export interface Far {
  readonly ended: number;
  readonly failed: number;
}

/** A terminal, on which a line can be drawn over. */
export interface Terminal {
  readonly columns: number;
}

const DRAWN_EVERY_MS = 100;
const BAR_CELLS = 30;
const CLEARED = '\r\x1b[K';
/** Where nothing can be drawn over, a line is told as often in a run. */
const LINES = 10;

/** How far a run is: a bar on a terminal, some lines elsewhere. */
export class Progress {
  readonly #err: (text: string) => void;
  readonly #terminal: Terminal | undefined;
  readonly #entries: number;
  readonly #began = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;
  #told = 0;

  constructor({ err, terminal }: { err: (text: string) => void; terminal?: Terminal | undefined }, entries: number) {
    this.#err = err;
    this.#terminal = terminal;
    this.#entries = entries;
  }

  show(far: Far): void {
    const { ended } = far;
    if (this.#terminal) {
      const now = performance.now();
      if (now - this.#drawnAt < DRAWN_EVERY_MS && ended < this.#entries) return;
      this.#drawnAt = now;
      this.#err(CLEARED + this.#bar(far).slice(0, this.#terminal.columns - 1));
    } else if (Math.floor((ended * LINES) / this.#entries) > this.#told) {
      this.#told = Math.floor((ended * LINES) / this.#entries);
      this.#err(`${this.#figures(far)}\n`);
    }
  }

  /** Says something between. */
  interrupt(text: string): void {
    this.#clear();
    this.#err(text);
  }

  end(): void {
    this.#clear();
  }

  #clear(): void {
    if (!this.#terminal) return;
    this.#err(CLEARED);
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  #bar(far: Far): string {
    const filled = Math.floor((far.ended * BAR_CELLS) / this.#entries);
    const perSecond = (far.ended * 1_000) / (performance.now() - this.#began);
    return `[${'#'.repeat(filled).padEnd(BAR_CELLS, '.')}] ${this.#figures(far)}, ${perSecond.toFixed(0)} a second`;
  }

  #figures({ ended, failed }: Far): string {
    const percent = Math.floor((ended * 100) / this.#entries);
    return `${percent} %: ${ended} of ${this.#entries} entries, ${failed} failed`;
  }
}
