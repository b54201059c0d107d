import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const KB = 1_024;
/** How often a system that does not remember the peak is asked for what there is. */
const EVERY_MS = 50;

/** Watches how much memory a process takes, until it is disposed of. */
export class MemoryWatch implements Disposable {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout | undefined;
  #mostBytes = 0;

  constructor(pid: number) {
    this.#pid = pid;
    if (!existsSync(`/proc/${pid}/status`)) this.#timer = setInterval(() => this.#look(), EVERY_MS);
  }

  /** The most memory that the process has had in use, in bytes. */
  peakBytes(): number {
    this.#look();
    return this.#mostBytes;
  }

  #look(): void {
    const bytes = this.#timer ? residentBytes(this.#pid) : peakBytes(this.#pid);
    this.#mostBytes = Math.max(this.#mostBytes, bytes);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** What Linux remembers. */
function peakBytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * KB;
}

function residentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * KB;
}
