/** How Segue verifies the messages of a sender. */
export interface VerifyingScheme {
  /** The headers that hold signatures or secrets, in lower case. No mapping may read them. */
  readonly privateHeaders: readonly string[];
  /** The query parameter that holds the secret; absent if the scheme allows no query. */
  readonly queryParameter?: string | undefined;
  /** What the sender of an invalid signature learns. */
  readonly refusal: string;
  /** What identifies a message, unless its source says otherwise. */
  readonly identifiedBy: MessageIdentity;
  /** Reads the signature of a message, and the bytes that it must cover. @returns the reason if it cannot be read */
  readClaim(message: ReceivedMessage): SignatureClaim | 'missing' | 'malformed';
  /** Creates the verifier for a secret. @returns `undefined` if the secret does not have the form of this scheme */
  verifierOf(secret: string): SignatureVerifier | undefined;
}

/** A signature scheme: how a sender signs messages, and how Segue verifies them. */
export interface SignatureScheme extends VerifyingScheme {
  /** Signs a message. @returns the signature headers; `undefined` if the secret is a public key, which cannot sign */
  sign(secret: string, message: UnsignedRequest): Readonly<Record<string, string>> | undefined;
  /** The form of this scheme's secrets, for error messages. */
  readonly secretForm: string;
  /** Generates a random secret. */
  newSecret(): string;
}

/**
 * What identifies a message: the id that the sender signs; the body, which is known to hold a time or an id; the body
 * together with the signed time; or the body, but only for some minutes, because a later message may have an equal body.
 */
export type MessageIdentity = 'id' | 'body' | 'body-and-time' | 'body-for-minutes';

/** A received message whose signature is not verified yet. */
export interface ReceivedMessage {
  /** Returns all values of a header. */
  headerValues(name: string): readonly string[];
  /** Returns all values of a query parameter. */
  queryValues(name: string): readonly string[];
  /** The path of the URL to which the message was sent, with the stage or the base path in front of the API's own path. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** The parsed signature of a message. Nothing in it is verified yet. */
export interface SignatureClaim {
  /** The signed text, in pieces. */
  readonly signed: readonly (string | Uint8Array)[];
  /** When the message was signed, in milliseconds since 1970; absent if the scheme does not sign the time. */
  readonly signedAtMs?: number | undefined;
  /** The id that the sender gave the message; absent if the scheme does not sign an id. */
  readonly messageId?: string | undefined;
  /** The signatures of the message. At least one of them must be valid. */
  readonly signatures: readonly Signature[];
}

/** A signature as the header contains it. */
export interface Signature {
  /** `v1`: signed with a shared secret. `v1a`: signed with a private key. */
  readonly version: 'v1' | 'v1a';
  readonly text: string;
}

/** Receives the signed text in pieces. Returns a function that checks whether a signature of it is valid. */
export type SignatureVerifier = (signed: SignatureClaim['signed']) => (signature: Signature) => boolean;

/** A message to sign. */
export interface UnsignedMessage {
  /** The id of the message, for schemes that sign it. */
  readonly id: string;
  /** When the message is signed, in milliseconds since 1970, for schemes that sign the time. */
  readonly atMs: number;
  readonly body: string | Uint8Array;
}

/** A request to sign: a message with its headers, for schemes that sign more of a request than its body. */
export interface UnsignedRequest extends UnsignedMessage {
  /** The path of the URL to which the message is sent. */
  readonly path: string;
  /** The headers by lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the value of each header, if the message has each of them exactly once. @returns the reason otherwise */
export function singleValues(
  names: readonly string[],
  { headerValues }: ReceivedMessage,
): ReadonlyMap<string, string> | 'missing' | 'malformed' {
  const all = names.map((name) => [name, headerValues(name)] as const);
  if (all.some(([, values]) => values.length === 0)) return 'missing';
  if (all.some(([, values]) => values.length > 1)) return 'malformed';
  return new Map(all.map(([name, [value = '']]) => [name, value]));
}
