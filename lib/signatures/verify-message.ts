import type { SignatureFault } from '../contract/basic-credentials.ts';
import type { SignatureScheme } from './scheme.ts';

/** A received message whose signature is not verified yet. */
export interface ReceivedMessage {
  /** Returns all values of a header. */
  headerValues(name: string): readonly string[];
  readonly body: Uint8Array;
}

/** The facts that a valid signature proves, in addition to the body. */
export interface SignatureProof {
  /** The id that the sender gave the message; `undefined` if the scheme does not sign an id. */
  readonly messageId: string | undefined;
}

/** How far the signed time of a message may be from now, in milliseconds, in the past or the future. */
const TOLERANCE_MS = 300_000;

/**
 * Verifies the signature of a message. If the scheme signs the time, it also checks that the message is recent.
 * @param secrets the live secrets of the source; one of them must have signed the message
 * @returns the failed check, if any. It is for the log: an answer must not say it, so that an attacker learns nothing.
 */
export function verifyMessage(
  scheme: SignatureScheme,
  secrets: readonly string[],
  message: ReceivedMessage,
  nowMs: number,
): SignatureProof | SignatureFault {
  const names = scheme.headerSets.find((set) => set.some((name) => message.headerValues(name).length > 0));
  const values = names?.map((name) => message.headerValues(name));
  if (!values || values.some(({ length }) => length === 0)) return 'missing';
  const claim = values.every(({ length }) => length === 1) ? scheme.readClaim(...values.flat()) : undefined;
  if (!claim) return 'malformed';
  if (claim.signedAtMs !== undefined && Math.abs(nowMs - claim.signedAtMs) > TOLERANCE_MS) return 'wrong-time';
  const signed = [Buffer.from(claim.prefix), message.body];
  // Check every signature with every secret, so that the response time does not reveal which of them match.
  const results = secrets.flatMap((secret) => {
    const isRight = scheme.verifierOf(secret)?.(signed);
    return claim.signatures.map((signature) => isRight?.(signature) ?? false);
  });
  return results.includes(true) ? { messageId: claim.messageId } : 'wrong';
}
