import type { SignatureFault } from '../contract/basic-credentials.ts';
import type { ReceivedMessage, SignatureClaim, VerifyingScheme } from './scheme.ts';

/** The facts that a valid signature proves, in addition to the body. */
export type SignatureProof = Pick<SignatureClaim, 'messageId' | 'signedAtMs'>;

/** How far the signed time of a message may be from now, in milliseconds, in the past or the future. */
const TOLERANCE_MS = 300_000;

/**
 * Verifies the signature of a message. If the scheme signs the time, it also checks that the message is recent.
 * @param secrets the live secrets of the source; one of them must have signed the message
 * @returns the failed check, if any. It is for the log: an answer must not say it, so that an attacker learns nothing.
 */
export function verifyMessage(
  scheme: VerifyingScheme,
  secrets: readonly string[],
  message: ReceivedMessage,
  nowMs: number,
): SignatureProof | SignatureFault {
  const claim = scheme.readClaim(message);
  if (typeof claim === 'string') return claim;
  if (claim.signedAtMs !== undefined && Math.abs(nowMs - claim.signedAtMs) > TOLERANCE_MS) return 'wrong-time';
  // Check every signature with every secret, so that the response time does not reveal which of them match.
  const results = secrets.flatMap((secret) => {
    const isRight = scheme.verifierOf(secret)?.(claim.signed);
    return claim.signatures.map((signature) => isRight?.(signature) ?? false);
  });
  const { messageId, signedAtMs } = claim;
  return results.includes(true) ? { messageId, signedAtMs } : 'wrong';
}
