import type { SignatureScheme } from './scheme.ts';

/** A message as it was received. */
export interface ReceivedMessage {
  /** Every value of a header. */
  headerValues(name: string): readonly string[];
  readonly body: Uint8Array;
}

/** What a right signature covers beside the body. */
export interface SignatureProof {
  /** The message's own id, if the scheme signs one. */
  readonly messageId: string | undefined;
}

/** How far the time of signing may be from now, before or after, in milliseconds. */
export const TOLERANCE_MS = 300_000;

/**
 * Verifies the sender of a message, and the time if the scheme signs it. Nothing of the message is parsed before.
 * @param secrets one of them must have signed it
 * @returns `undefined` if nothing is proven; the caller does not learn why
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
  // Check every secret with every signature, so that the time does not reveal which one is right.
  const results = secrets.flatMap((secret) => {
    const isRight = scheme.verifierOf(secret)?.(signed);
    return claim.signatures.map((signature) => isRight?.(signature) ?? false);
  });
  return results.includes(true) ? { messageId: claim.messageId } : undefined;
}
