/** How many entries have ended, and how many of them failed. */
export interface Far {
  readonly ended: number;
  readonly failed: number;
}

/** A terminal, on which a line can be drawn over. */
export interface Terminal {
  /** Its width now; a terminal that does not tell has 0 or none. */
  readonly columns?: number | undefined;
  /** Takes text as it is, control characters included. */
  write(text: string): unknown;
}

const DRAWN_EVERY_MS = 100;
const BAR_CELLS = 30;
const CLEARED = '\r\x1b[K';
/** Without a terminal, a run reports its progress in this many lines. */
const LINES = 10;
/** The width of a terminal that does not tell. */
const USUAL_COLUMNS = 80;

/** The progress of a run: a bar on a terminal, some lines elsewhere. */
export class Progress {
  readonly #err: (text: string) => void;
  readonly #terminal: Terminal | undefined;
  readonly #entries: number;
  readonly #began = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;
  #reported = 0;

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
      this.#terminal.write(CLEARED + this.#fitting(far, this.#terminal.columns || USUAL_COLUMNS));
    } else if (Math.floor((ended * LINES) / this.#entries) > this.#reported) {
      this.#reported = Math.floor((ended * LINES) / this.#entries);
      this.#err(`${this.#figures(far)}\n`);
    }
  }

  /** Prints something above the bar. */
  interrupt(text: string): void {
    this.#clear();
    this.#err(text);
  }

  end(): void {
    this.#clear();
  }

  #clear(): void {
    if (!this.#terminal) return;
    this.#terminal.write(CLEARED);
    this.#drawnAt = Number.NEGATIVE_INFINITY;
  }

  /** As much as fits beside the cursor: a line that wraps could not be drawn over. All of it is ASCII, a cell a character. */
  #fitting(far: Far, columns: number): string {
    const figures = this.#figures(far);
    const [percent = ''] = figures.split(':');
    const filled = Math.floor((far.ended * BAR_CELLS) / this.#entries);
    const bar = `[${'#'.repeat(filled).padEnd(BAR_CELLS, '.')}]`;
    const perSecond = (far.ended * 1_000) / (performance.now() - this.#began);
    const candidates = [`${bar} ${figures}, ${perSecond.toFixed(0)} a second`, `${bar} ${figures}`, figures, percent];
    return candidates.find((line) => line.length < columns) ?? '';
  }

  #figures({ ended, failed }: Far): string {
    const percent = Math.floor((ended * 100) / this.#entries);
    return `${percent} %: ${ended} of ${this.#entries} entries, ${failed} failed`;
  }
}
