/** How a sender signs its messages. */
export interface SignatureScheme {
  /**
   * The headers that a message needs, each exactly once, by lower-case names. A scheme may have several sets of names; the
   * first set of which a message has any header counts.
   */
  readonly headerSets: readonly (readonly string[])[];
  /** The header with the signatures, in the first set. */
  readonly signatureHeader: string;
  /** Parses the headers of a set, from their values in order. @returns `undefined` if they do not fit the scheme */
  readClaim(...values: readonly string[]): SignatureClaim | undefined;
  /** What a secret checks signatures with. @returns `undefined` if the scheme has no such secrets */
  verifierOf(secret: string): SignatureVerifier | undefined;
  /** Signs a message as its sender would. @returns `undefined` if the secret can only verify, as a public key does */
  sign(secret: string, message: UnsignedMessage): Readonly<Record<string, string>> | undefined;
  /** The form of its secrets, in words. */
  readonly secretForm: string;
  /** Generates a secret. */
  newSecret(): string;
}

/** What the headers of a message say about its signature, unproven. */
export interface SignatureClaim {
  /** What is signed before the body. */
  readonly prefix: string;
  /** Milliseconds since 1970; absent if the scheme does not sign the time. */
  readonly signedAtMs?: number;
  /** The message's own id; absent if the scheme does not sign one. */
  readonly messageId?: string;
  /** At least one of them must be right. */
  readonly signatures: readonly Signature[];
}

/** A signature in its text form: `v1` by a shared secret, `v1a` by a private key. */
export interface Signature {
  readonly version: 'v1' | 'v1a';
  readonly text: string;
}

/** Takes the signed bytes, in pieces, and then checks signatures in constant time. */
export type SignatureVerifier = (signed: readonly Uint8Array[]) => (signature: Signature) => boolean;

/** A message to sign. */
export interface UnsignedMessage {
  /** Used if the scheme signs an id. */
  readonly id: string;
  /** Used if the scheme signs a time; milliseconds since 1970. */
  readonly atMs: number;
  readonly body: Uint8Array;
}

/** Whole seconds since 1970 in their only form: no sign, leading zero, fraction or space. */
const SECONDS = /^[1-9]\d{0,11}$/;

/** Parses seconds since 1970. @returns milliseconds since 1970 */
export function readSeconds(text: string): number | undefined {
  return SECONDS.test(text) ? Number(text) * 1_000 : undefined;
}

/** Writes a time as whole seconds since 1970. */
export function writeSeconds(atMs: number): string {
  return String(Math.floor(atMs / 1_000));
}
