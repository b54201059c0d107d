import { remember } from '../lib/service/recent.ts';

/** What is known of the lengths of a company's responses at one time, by the path and `Accept-Encoding` of the request. */
export interface ResponseLengths {
  get(response: string): number | undefined;
  /** Remembers a length, unless a put has begun or ended since. */
  set(response: string, length: number): void;
}

/** The puts of a company. */
interface Puts {
  /** How many are running. */
  readonly running: number;
  /** A number that changes when one begins or ends. */
  readonly epoch: number;
}

/**
 * The last known length of each project's response, in bytes. A put can make a project longer, and may name it by its
 * custom id. So while a put runs, no length of its company is known, and afterwards all have to be learnt anew.
 */
export class KnownLengths {
  readonly #lengths = new Map<string, number>();
  readonly #puts = new Map<string, Puts>();
  #lastEpoch = 0;

  of(companyId: string): ResponseLengths {
    const { running, epoch } = this.#puts.get(companyId) ?? this.#change(companyId, 0);
    const keyOf = (response: string) => `${epoch} ${response}`;
    return {
      get: (response) => (running > 0 ? undefined : this.#lengths.get(keyOf(response))),
      set: (response, length) => {
        const isSame = this.#puts.get(companyId)?.epoch === epoch;
        if (running === 0 && isSame) remember(this.#lengths, keyOf(response), length);
      },
    };
  }

  beginPut(companyId: string): void {
    this.#change(companyId, 1);
  }

  endPut(companyId: string): void {
    this.#change(companyId, -1);
  }

  #change(companyId: string, more: number): Puts {
    const running = Math.max(0, (this.#puts.get(companyId)?.running ?? 0) + more);
    const puts = { running, epoch: ++this.#lastEpoch };
    remember(this.#puts, companyId, puts);
    return puts;
  }
}
