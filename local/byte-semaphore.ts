import { GatewayError } from './response.ts';

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
}

/** A counting semaphore over bytes of memory. It is fair: requests are granted in the order in which they came. */
export class ByteSemaphore {
  readonly #capacity: number;
  readonly #waitMs: number;
  readonly #waiters = new Set<Waiter>();
  #held = 0;

  /**
   * @param capacity how many bytes all holders may have together; a larger request is granted when nobody holds any
   * @param waitMs how long `acquire` waits, in milliseconds
   */
  constructor(capacity: number, waitMs: number) {
    this.#capacity = capacity;
    this.#waitMs = waitMs;
  }

  /** Whether a request waits for bytes. */
  get isContended(): boolean {
    return this.#waiters.size > 0;
  }

  /** Waits until the bytes are free. @throws {GatewayError} THROTTLED after `waitMs` */
  async acquire(bytes: number): Promise<void> {
    const { promise, resolve: grant, reject } = Promise.withResolvers<void>();
    const waiter = { bytes, grant };
    this.#waiters.add(waiter);
    this.#grantNext();
    if (!this.#waiters.has(waiter)) return;
    const timer = setTimeout(() => {
      this.#waiters.delete(waiter);
      reject(new GatewayError('THROTTLED', { detail: 'The request waited too long for memory.' }));
      this.#grantNext();
    }, this.#waitMs);
    await promise.finally(() => clearTimeout(timer));
  }

  /** Frees bytes. A negative number takes more without waiting. */
  release(bytes: number): void {
    this.#held -= bytes;
    this.#grantNext();
  }

  #grantNext(): void {
    const [next] = this.#waiters;
    if (!next || (this.#held > 0 && this.#held + next.bytes > this.#capacity)) return;
    this.#waiters.delete(next);
    this.#held += next.bytes;
    next.grant();
    // One in each turn of the event loop: requests that start together would be in memory together.
    if (this.isContended) setImmediate(() => this.#grantNext());
  }
}
