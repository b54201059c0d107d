/** How a sender signs its messages. */
export interface Scheme {
  /**
   * The headers that a message needs, each exactly once, by lower-case names. A scheme may have several sets of names; the
   * first set of which a message has any header counts.
   */
  readonly headerSets: readonly (readonly string[])[];
  /** The header with the signatures, in the first set. */
  readonly signatureHeader: string;
  /** Reads what the headers of a set claim, from their values in order; `undefined` if they are not of this scheme. */
  claim(...values: readonly string[]): Claim | undefined;
  /** What a secret checks signatures with; `undefined` where it is none of this scheme's. */
  keyOf(secret: string): Key | undefined;
  /** What its secrets look like, for people. */
  readonly secretForm: string;
  /** Makes a new secret. */
  newSecret(): string;
}

/** What a message says of its signing, unproved. */
export interface Claim {
  /** What is signed before the body. */
  readonly prefix: string;
  /** When it was signed, in milliseconds since 1970; absent where the scheme does not sign that. */
  readonly signedAtMs?: number;
  /** What names the message beside its body; absent where the scheme signs nothing of the kind. */
  readonly messageId?: string;
  /** Of these one has to be right. */
  readonly signatures: readonly Signature[];
}

/** A signature in its text form: `v1` by a shared secret, `v1a` by a private key. */
export interface Signature {
  readonly version: 'v1' | 'v1a';
  readonly text: string;
}

/** Takes what was signed, in pieces; tells of a signature whether it is right, in a time that does not say how nearly. */
export type Key = (signed: readonly Uint8Array[]) => (signature: Signature) => boolean;

/** Whole seconds since 1970 as everybody writes them: no sign, no leading zero, no fraction, no space. */
const SECONDS = /^[1-9]\d{0,11}$/;

/** The moment that a text of seconds says, in milliseconds since 1970. */
export function readSeconds(text: string): number | undefined {
  return SECONDS.test(text) ? Number(text) * 1_000 : undefined;
}
