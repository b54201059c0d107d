import { GatewayError } from './response.ts';

/** Bytes that one request holds. */
export interface ByteLease {
  /** Changes how many bytes are held, without waiting. */
  resize(bytes: number): void;
  release(): void;
}

export interface ByteSemaphoreOptions {
  /** How many bytes all leases may hold together. A larger lease is granted when no other one is held. */
  readonly capacity: number;
  /** How many bytes the leases of one sender may hold; as many as all unless given. */
  readonly senderCapacity?: number;
  /** How long `acquire` waits, in milliseconds. */
  readonly waitMs: number;
}

export interface ByteRequest {
  readonly bytes: number;
  /** Whose share the bytes count against, such as an address. */
  readonly sender?: string;
  /** Whether the client has gone away, so that nobody needs the lease any more. */
  readonly isGone: () => boolean;
}

interface Waiter extends Required<ByteRequest> {
  readonly grant: (lease: ByteLease) => void;
  readonly refuse: (error: GatewayError) => void;
}

/** A counting semaphore over bytes of memory. It is fair: requests are granted in the order in which they came. */
export class ByteSemaphore {
  readonly #options: Required<ByteSemaphoreOptions>;
  readonly #waiters = new Set<Waiter>();
  readonly #heldBySender = new Map<string, number>();
  #held = 0;

  constructor(options: ByteSemaphoreOptions) {
    this.#options = { senderCapacity: options.capacity, ...options };
  }

  /** Whether a request waits for bytes. */
  get isContended(): boolean {
    return this.#waiters.size > 0;
  }

  /**
   * Waits until the bytes are free. A request that waits for its own sender's share holds up no other sender.
   * @throws {GatewayError} THROTTLED after `waitMs`, BAD_REQUEST_BODY if the client has gone away
   */
  async acquire({ bytes, sender = '', isGone }: ByteRequest): Promise<ByteLease> {
    const { promise, resolve: grant, reject: refuse } = Promise.withResolvers<ByteLease>();
    const waiter = { bytes, sender, isGone, grant, refuse };
    this.#waiters.add(waiter);
    this.#grantNext();
    if (!this.#waiters.has(waiter)) return promise;
    const timer = setTimeout(() => this.#refuse(waiter), this.#options.waitMs);
    return promise.finally(() => clearTimeout(timer));
  }

  #refuse(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    waiter.refuse(new GatewayError('THROTTLED', { detail: 'The request waited too long for memory.' }));
    this.#grantNext();
  }

  #grantNext(): void {
    const { capacity, senderCapacity } = this.#options;
    const waitingForShare = new Set<string>();
    for (const waiter of this.#waiters) {
      const { bytes, sender, isGone, grant, refuse } = waiter;
      if (isGone()) {
        this.#waiters.delete(waiter);
        refuse(new GatewayError('BAD_REQUEST_BODY'));
        continue;
      }
      if (waitingForShare.has(sender)) continue;
      if (!fits(bytes, this.#heldBySender.get(sender) ?? 0, senderCapacity)) {
        waitingForShare.add(sender);
        continue;
      }
      if (!fits(bytes, this.#held, capacity)) return;
      this.#waiters.delete(waiter);
      grant(this.#leaseOf(bytes, sender));
      // One in each turn of the event loop: requests that start together would be in memory together.
      if (this.#waiters.size > 0) setImmediate(() => this.#grantNext());
      return;
    }
  }

  #leaseOf(bytes: number, sender: string): ByteLease {
    let held = 0;
    const resize = (next: number) => {
      this.#held += next - held;
      const heldBySender = (this.#heldBySender.get(sender) ?? 0) + next - held;
      if (heldBySender > 0) this.#heldBySender.set(sender, heldBySender);
      else this.#heldBySender.delete(sender);
      held = next;
    };
    resize(bytes);
    const resizeAndGrant = (next: number) => {
      resize(next);
      if (this.#waiters.size > 0) this.#grantNext();
    };
    return { resize: resizeAndGrant, release: () => resizeAndGrant(0) };
  }
}

function fits(bytes: number, held: number, capacity: number): boolean {
  return held === 0 || held + bytes <= capacity;
}
