import type { Duplex } from 'node:stream';
import { GatewayError } from './response.ts';

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
}

/** A semaphore that limits how many bytes of memory are in use. It grants requests in the order of their arrival. */
export class ByteSemaphore {
  readonly #capacity: number;
  readonly #waitMs: number;
  readonly #waiters = new Set<Waiter>();
  #held = 0;

  /**
   * Creates a semaphore whose bytes are all free.
   * @param capacity how many bytes may be in use at once. A larger request is granted when no other bytes are in use
   * @param waitMs how long a request may wait, in milliseconds
   */
  constructor(capacity: number, waitMs: number) {
    this.#capacity = capacity;
    this.#waitMs = waitMs;
  }

  /** Whether any request is waiting for bytes. */
  get isContended(): boolean {
    return this.#waiters.size > 0;
  }

  /**
   * Waits until enough bytes are free, and takes them.
   * @param client its connection: if it ends, nobody needs the bytes any more
   * @throws {GatewayError} THROTTLED after `waitMs`, BAD_REQUEST_BODY if the client has gone away
   */
  async acquire(bytes: number, client: Duplex): Promise<void> {
    if (client.destroyed) throw new GatewayError('BAD_REQUEST_BODY');
    const { promise, resolve: grant, reject } = Promise.withResolvers<void>();
    const waiter = { bytes, grant };
    this.#waiters.add(waiter);
    this.#grantNext();
    if (!this.#waiters.has(waiter)) return;
    const giveUp = (error: GatewayError) => {
      this.#waiters.delete(waiter);
      reject(error);
      this.#grantNext();
    };
    const leave = () => giveUp(new GatewayError('BAD_REQUEST_BODY'));
    const detail = 'The request waited too long for memory.';
    const timer = setTimeout(() => giveUp(new GatewayError('THROTTLED', { detail })), this.#waitMs);
    client.once('close', leave);
    await promise.finally(() => {
      clearTimeout(timer);
      client.off('close', leave);
    });
    if (!client.destroyed) return;
    this.release(bytes);
    throw new GatewayError('BAD_REQUEST_BODY');
  }

  /** Gives back bytes. A negative number takes bytes without waiting. */
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
    // Only one request is granted in each turn of the event loop: requests that start together would be in memory
    // together.
    if (this.isContended) setImmediate(() => this.#grantNext());
  }
}
