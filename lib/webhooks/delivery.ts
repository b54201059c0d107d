/** A verified message of a webhook's sender. */
export interface Delivery {
  /**
   * By what the sender's signature covers, as base64url of a SHA-256: the same message always has the same id, and no
   * other message has it, but where a sender gives two of his messages the one id that he signs.
   */
  readonly id: string;
  /** The name of its source. */
  readonly source: string;
  readonly companyId: string;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
  /** By lower-case names, without those that hold a signature or a credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** As received. */
  readonly body: Uint8Array;
}

/** Takes deliveries in, to be worked on later. */
export interface Inbox {
  /**
   * Keeps a delivery durably, once.
   * @returns `repeated` where it has been taken in before, whatever became of it
   * @throws {Problem} `unavailable`, `outcome-unknown`; the sender may send it again. `idempotency-key-reused` where another
   * message was taken in with its id
   */
  accept(delivery: Delivery): Promise<'accepted' | 'repeated'>;
}
