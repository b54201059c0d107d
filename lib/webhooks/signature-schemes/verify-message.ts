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
export const TOLERANCE_MS = 300_000;

/**
 * Verifies the signature of a message. If the scheme signs the time, it also checks that the message is recent.
 * @param secrets the live secrets of the source; one of them must have signed the message
 * @returns `undefined` if any check fails. It does not say which check, so that an attacker learns nothing.
 */
export function verifyMessage(
  scheme: SignatureScheme,
  secrets: readonly string[],
  message: ReceivedMessage,
  nowMs: number,
): SignatureProof | undefined {
  const names = scheme.headerSets.find((set) => set.some((name) => message.headerValues(name).length > 0));
  const values = names?.map((name) => message.headerValues(name));
  if (!values || values.some(({ length }) => length !== 1)) return undefined;
  const claim = scheme.readClaim(...values.flat());
  if (!claim || (claim.signedAtMs !== undefined && Math.abs(nowMs - claim.signedAtMs) > TOLERANCE_MS)) return undefined;
  const signed = [Buffer.from(claim.prefix), message.body];
  // Check every signature with every secret, so that the response time does not reveal which of them match.
  const results = secrets.flatMap((secret) => {
    const isRight = scheme.verifierOf(secret)?.(signed);
    return claim.signatures.map((signature) => isRight?.(signature) ?? false);
  });
  return results.includes(true) ? { messageId: claim.messageId } : undefined;
}
