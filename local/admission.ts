import { Refusal } from './refusal.ts';

/** What a request holds of the memory that there is for all. */
export interface Place {
  /** How many bytes the request takes from now on. Nobody waits for that. */
  resize(bytes: number): void;
  /** From now on the request only waits for its client: when that takes long, and others wait, it is ended. */
  lend(loan: Loan): void;
  /** The request goes on, and is not ended any more. */
  reclaim(): void;
  /** The request takes nothing any more. */
  leave(): void;
}

/** A place whose request waits for its client. */
export interface Loan {
  /** Ends the request, so that it leaves. */
  readonly end: () => void;
  /** How many bytes the client has got through; one that goes on is left alone. */
  readonly progress?: () => number;
}

export interface AdmissionOptions {
  /** How many bytes all requests may take together. One that takes more goes alone. */
  readonly budget: number;
  /** How long a client may hold up others without so much progress, in milliseconds and bytes. */
  readonly patienceMs: number;
  readonly progressBytes: number;
  /** How long a request waits, in milliseconds. */
  readonly waitMs: number;
  /** Milliseconds on a clock that is never set. */
  readonly now: () => number;
}

interface Waiter {
  readonly bytes: number;
  readonly isGone: () => boolean;
  readonly resolve: (place: Place) => void;
  readonly reject: (refusal: Refusal) => void;
}

interface Lent extends Loan {
  readonly sinceMs: number;
  readonly atBytes: number;
}

/** Lets requests in as long as there is memory for them, in the order in which they came. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #waiting = new Set<Waiter>();
  /** The oldest first. */
  readonly #lent = new Map<Place, Lent>();
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Waits for room.
   * @param bytes what the request may take
   * @param isGone whether nobody waits for the answer any more
   * @throws {Refusal} THROTTLED where there is none for too long, BAD_REQUEST_BODY where the client is gone by then
   */
  async enter(bytes: number, isGone: () => boolean): Promise<Place> {
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const waiter = { bytes, isGone, resolve, reject };
    this.#waiting.add(waiter);
    this.#admit();
    if (!this.#waiting.has(waiter)) return promise;
    const timer = setTimeout(() => this.#refuse(waiter), this.#options.waitMs);
    return promise.finally(() => clearTimeout(timer));
  }

  #refuse(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    waiter.reject(new Refusal('THROTTLED', { detail: 'The request waited too long for memory.' }));
    this.#admit();
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      const { bytes, isGone, resolve, reject } = waiter;
      const gone = isGone();
      if (!gone && this.#taken > 0 && this.#taken + bytes > this.#options.budget) {
        this.#makeRoom();
        return;
      }
      this.#waiting.delete(waiter);
      if (gone) {
        reject(new Refusal('BAD_REQUEST_BODY'));
        continue;
      }
      this.#taken += bytes;
      // Each in a turn of its own: what many do at once would be in memory at once.
      setImmediate(() => resolve(this.#place(bytes)));
    }
  }

  /** Ends the oldest loan without progress, as soon as it is old enough. */
  #makeRoom(): void {
    clearTimeout(this.#timer);
    const { patienceMs, progressBytes, now } = this.#options;
    for (const [place, lent] of this.#lent) {
      const leftMs = lent.sinceMs + patienceMs - now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.#admit(), leftMs).unref();
        return;
      }
      place.reclaim();
      if (bytesOf(lent) - lent.atBytes < progressBytes) {
        lent.end();
        return;
      }
      this.#lend(place, lent);
    }
  }

  #lend(place: Place, loan: Loan): void {
    this.#lent.set(place, { ...loan, sinceMs: this.#options.now(), atBytes: bytesOf(loan) });
  }

  #place(bytes: number): Place {
    let taken = bytes;
    const place: Place = {
      resize: (next) => {
        this.#taken += next - taken;
        taken = next;
        this.#admit();
      },
      lend: (loan) => {
        this.#lend(place, loan);
        this.#admit();
      },
      reclaim: () => {
        this.#lent.delete(place);
      },
      leave: () => {
        place.reclaim();
        place.resize(0);
      },
    };
    return place;
  }
}

function bytesOf({ progress }: Loan): number {
  return progress?.() ?? 0;
}
