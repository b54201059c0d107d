import type { Duplex } from 'node:stream';
import { RoundRobin } from '../lib/service/round-robin.ts';
import { GatewayError } from './response.ts';

interface Waiter {
  readonly share: string;
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * A semaphore that limits how many bytes of memory are in use. It grants requests round robin by share, and those of a
 * share in the order of their arrival.
 */
export class ByteSemaphore {
  readonly #capacity: number;
  readonly #maxOfShare: number;
  readonly #waitMs: number;
  readonly #waiters = new RoundRobin<Waiter>();
  /** The bytes in use of each share. */
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  /**
   * Creates a semaphore whose bytes are all free.
   * @param capacity how many bytes may be in use at once. A larger request is granted when no other bytes are in use
   * @param maxOfShare how many of them one share may use. A larger request is granted when the share uses no other bytes
   * @param waitMs how long a request may wait, in milliseconds
   */
  constructor(capacity: number, maxOfShare: number, waitMs: number) {
    this.#capacity = capacity;
    this.#maxOfShare = maxOfShare;
    this.#waitMs = waitMs;
  }

  /** Whether any request is waiting for bytes that a share uses. */
  isContended(share: string): boolean {
    return this.#waiters.first((waiter) => waiter.share === share || this.#mayUse(waiter)) !== undefined;
  }

  /**
   * Waits until enough bytes are free, and takes them.
   * @param share the company that uses them; the empty string for nobody's requests
   * @param client its connection: if it ends, nobody needs the bytes any more
   * @throws {GatewayError} THROTTLED after `waitMs`, BAD_REQUEST_BODY if the client has gone away
   */
  async acquire(bytes: number, share: string, client: Duplex): Promise<void> {
    if (client.destroyed) throw new GatewayError('BAD_REQUEST_BODY');
    const { promise, resolve: grant, reject } = Promise.withResolvers<void>();
    const waiter = { share, bytes, grant };
    this.#waiters.add(waiter);
    this.#grantNext();
    if (!this.#waiters.has(waiter)) return;
    const giveUp = (error: GatewayError) => {
      this.#waiters.remove(waiter);
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
    this.release(bytes, share);
    throw new GatewayError('BAD_REQUEST_BODY');
  }

  /** Gives back bytes of a share. A negative number takes bytes without waiting. */
  release(bytes: number, share: string): void {
    this.#count(share, -bytes);
    this.#grantNext();
  }

  #count(share: string, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldBy.get(share) ?? 0) + bytes;
    if (held === 0) this.#heldBy.delete(share);
    else this.#heldBy.set(share, held);
  }

  /** Whether a request is within the bytes of its share. */
  #mayUse({ share, bytes }: Waiter): boolean {
    const held = this.#heldBy.get(share) ?? 0;
    return held <= 0 || held + bytes <= this.#maxOfShare;
  }

  #grantNext(): void {
    // A request that is next but too large for the free bytes lets no other one overtake it: it might wait for ever.
    const next = this.#waiters.first((waiter) => this.#mayUse(waiter));
    if (!next || (this.#held > 0 && this.#held + next.bytes > this.#capacity)) return;
    this.#waiters.take(next);
    this.#count(next.share, next.bytes);
    next.grant();
    // Only one request is granted in each turn of the event loop: requests that start together would be in memory
    // together.
    if (!this.#waiters.isEmpty) setImmediate(() => this.#grantNext());
  }
}
