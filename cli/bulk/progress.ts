import type { CliIo, Terminal } from '../io.ts';

/** How many entries have ended, and how many of them failed. */
export interface Counts {
  readonly ended: number;
  readonly failed: number;
}

const REDRAW_MS = 100;
const BAR_CELLS = 30;
const CLEAR_LINE = '\r\x1b[K';
/** Without a terminal, a run reports its progress in this many lines. */
const LINES = 10;
const DEFAULT_COLUMNS = 80;

/** Shows the progress of a run: as a bar on a terminal, as a few lines elsewhere. */
export class Progress {
  readonly #err: (text: string) => void;
  readonly #terminal: Terminal | undefined;
  readonly #entries: number;
  readonly #beganMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;
  #linesWritten = 0;

  constructor({ err, terminal }: Pick<CliIo, 'err' | 'terminal'>, entries: number) {
    this.#err = err;
    this.#terminal = terminal;
    this.#entries = entries;
  }

  show(counts: Counts): void {
    const { ended } = counts;
    if (this.#terminal) {
      const nowMs = performance.now();
      if (nowMs - this.#drawnMs < REDRAW_MS && ended < this.#entries) return;
      this.#drawnMs = nowMs;
      this.#terminal.write(CLEAR_LINE + this.#lineOf(counts, this.#terminal.columns || DEFAULT_COLUMNS));
      return;
    }
    const lines = Math.floor((ended * LINES) / this.#entries);
    if (lines <= this.#linesWritten) return;
    this.#linesWritten = lines;
    this.#err(`${this.#figures(counts)}\n`);
  }

  /** Prints text above the bar. */
  interrupt(text: string): void {
    this.clear();
    this.#err(text);
  }

  /** Removes the bar. */
  clear(): void {
    if (!this.#terminal) return;
    this.#terminal.write(CLEAR_LINE);
    this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  /** The longest line that fits: one that wraps cannot be drawn over. It is ASCII, one cell for each character. */
  #lineOf(counts: Counts, columns: number): string {
    const figures = this.#figures(counts);
    const [percent = ''] = figures.split(':');
    const filled = Math.floor((counts.ended * BAR_CELLS) / this.#entries);
    const bar = `[${'#'.repeat(filled).padEnd(BAR_CELLS, '.')}]`;
    const perSecond = (counts.ended * 1_000) / (performance.now() - this.#beganMs);
    const candidates = [`${bar} ${figures}, ${perSecond.toFixed(0)} a second`, `${bar} ${figures}`, figures, percent];
    return candidates.find((line) => line.length < columns) ?? '';
  }

  #figures({ ended, failed }: Counts): string {
    const percent = Math.floor((ended * 100) / this.#entries);
    return `${percent} %: ${ended} of ${this.#entries} entries, ${failed} failed`;
  }
}
