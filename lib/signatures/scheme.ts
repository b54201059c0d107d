/** A signature scheme: how a sender signs messages, and how Segue verifies them. */
export interface SignatureScheme {
  /**
   * The names of the headers that a message needs, in lower case. Each header must occur exactly once. If there are
   * several sets, the first set with a header in the message applies.
   */
  readonly headerSets: readonly (readonly string[])[];
  /** The name of the header with the signatures, as in the first of `headerSets`. */
  readonly signatureHeader: string;
  /** Whether the signature covers the time of signing. */
  readonly signsTime: boolean;
  /** Parses the header values of a set, in the order of the set. @returns `undefined` if a value has the wrong form */
  readClaim(...values: readonly string[]): SignatureClaim | undefined;
  /** Creates the verifier for a secret. @returns `undefined` if the secret does not have the form of this scheme */
  verifierOf(secret: string): SignatureVerifier | undefined;
  /** Signs a message. @returns the signature headers; `undefined` if the secret is a public key, which cannot sign */
  sign(secret: string, message: UnsignedMessage): Readonly<Record<string, string>> | undefined;
  /** The form of this scheme's secrets, for error messages. */
  readonly secretForm: string;
  /** Generates a random secret. */
  newSecret(): string;
}

/** The parsed signature headers of a message. Nothing in them is verified yet. */
export interface SignatureClaim {
  /** The signed text before the body; the signature covers `prefix` and body. */
  readonly prefix: string;
  /** When the message was signed, in milliseconds since 1970; absent if the scheme does not sign the time. */
  readonly signedAtMs?: number;
  /** The id that the sender gave the message; absent if the scheme does not sign an id. */
  readonly messageId?: string;
  /** The signatures of the message. At least one of them must be valid. */
  readonly signatures: readonly Signature[];
}

/** A signature as the header contains it. */
export interface Signature {
  /** `v1`: signed with a shared secret. `v1a`: signed with a private key. */
  readonly version: 'v1' | 'v1a';
  readonly text: string;
}

/** Receives the signed bytes in pieces. Returns a function that checks whether a signature of them is valid. */
export type SignatureVerifier = (signed: readonly Uint8Array[]) => (signature: Signature) => boolean;

/** A message to sign. */
export interface UnsignedMessage {
  /** The id of the message, for schemes that sign it. */
  readonly id: string;
  /** When the message is signed, in milliseconds since 1970, for schemes that sign the time. */
  readonly atMs: number;
  readonly body: string | Uint8Array;
}

/** Matches whole seconds since 1970, without sign, leading zero, fraction or space. */
const SECONDS = /^[1-9]\d{0,11}$/;

/** Parses whole seconds since 1970. @returns milliseconds since 1970; `undefined` if the text has another form */
export function readSeconds(text: string): number | undefined {
  return SECONDS.test(text) ? Number(text) * 1_000 : undefined;
}

/** Formats a time as whole seconds since 1970. @param atMs milliseconds since 1970 */
export function writeSeconds(atMs: number): string {
  return String(Math.floor(atMs / 1_000));
}
