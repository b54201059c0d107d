import { Admission, type AdmissionOptions, type Place } from './admission.ts';

export interface SenderSharesOptions extends AdmissionOptions {
  /** How many bytes one sender may take of the budget. */
  readonly shareBytes: number;
}

/** An admission in which each sender waits for its own share first: a greedy sender holds up no other one. */
export class SenderShares {
  readonly #options: SenderSharesOptions;
  readonly #all: Admission;
  /** The share of each sender that has or waits for something. */
  readonly #shares = new Map<string, { readonly admission: Admission; guests: number }>();

  constructor(options: SenderSharesOptions) {
    this.#options = options;
    this.#all = new Admission(options);
  }

  /**
   * Waits for room.
   * @param sender its address
   * @throws {Refusal} as `Admission.enter`
   */
  async enter(sender: string, bytes: number, isGone: () => boolean): Promise<Place> {
    const { shareBytes: budget } = this.#options;
    const share = this.#shares.get(sender) ?? { admission: new Admission({ ...this.#options, budget }), guests: 0 };
    this.#shares.set(sender, share);
    share.guests++;
    const leave = () => {
      if (--share.guests === 0) this.#shares.delete(sender);
    };
    try {
      const own = await share.admission.enter(bytes, isGone);
      try {
        return bothOf(own, await this.#all.enter(bytes, isGone), leave);
      } catch (error) {
        own.leave();
        throw error;
      }
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** A place in a sender's share and the same place among all. */
function bothOf(own: Place, common: Place, left: () => void): Place {
  let isLeft = false;
  return {
    resize(bytes) {
      own.resize(bytes);
      common.resize(bytes);
    },
    lend(loan) {
      own.lend(loan);
      common.lend(loan);
    },
    reclaim() {
      own.reclaim();
      common.reclaim();
    },
    leave() {
      own.leave();
      common.leave();
      if (!isLeft) left();
      isLeft = true;
    },
  };
}
