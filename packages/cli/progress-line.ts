import { escapeControls, type Terminal } from './io.ts';

const REDRAW_MS = 100;
/** How often the time of work is shown. Shorter work shows nothing. */
const TICK_MS = 1_000;
const CLEAR_LINE = '\r\x1b[K';
const DEFAULT_COLUMNS = 80;

/** The last line of the terminal, which shows what a command is doing. Without a terminal, it shows nothing. */
export class ProgressLine {
  readonly #terminal: Terminal | undefined;
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal | undefined) {
    this.#terminal = terminal;
  }

  get isShown(): boolean {
    return this.#terminal !== undefined;
  }

  /** Shows a text in place of the one before, but not too often. @param isLast whether it is shown in any case */
  show(text: string, { isLast = false } = {}): void {
    const nowMs = performance.now();
    if (!this.#terminal || (nowMs - this.#drawnMs < REDRAW_MS && !isLast)) return;
    this.#drawnMs = nowMs;
    // A line that is wider than the terminal cannot be redrawn.
    this.#terminal.write(CLEAR_LINE + escapeControls(text).slice(0, (this.#terminal.columns || DEFAULT_COLUMNS) - 1));
  }

  /** Removes the text, so that a command can print. */
  clear(): void {
    if (this.#drawnMs === Number.NEGATIVE_INFINITY) return;
    this.#terminal?.write(CLEAR_LINE);
    this.#drawnMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Shows what is done, and for how long, while work takes longer than a second.
   * @param work calls `say` when it begins to do something else
   */
  async during<T>(text: string, work: (say: (text: string) => void) => Promise<T>): Promise<T> {
    let shown = text;
    let seconds = 0;
    const timer = setInterval(() => {
      seconds++;
      this.show(`${shown} (${seconds} s)`);
    }, TICK_MS);
    try {
      return await work((next) => {
        shown = next;
      });
    } finally {
      clearInterval(timer);
      this.clear();
    }
  }
}

/** Says how many segments were read. */
export const sayRead = (count: number): string => `Reading segments: ${count}`;

/** Yields the items, and says how many there were until now. */
export async function* counted<T>(items: AsyncIterable<T>, say: (count: number) => void): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    count++;
    say(count);
    yield item;
  }
}
