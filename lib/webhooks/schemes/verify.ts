import type { Claim, Scheme } from './scheme.ts';

/** A message as it was received. */
export interface Message {
  /** Every value of a header. */
  headerValues(name: string): readonly string[];
  readonly body: Uint8Array;
}

/** How far from now a message may have been signed, before or after, in milliseconds. */
export const TOLERANCE_MS = 300_000;

/**
 * Proves who sent a message, and when where the scheme signs that, from its bytes: nothing of it has been read before.
 * @param secrets one of which has to have signed it
 * @returns what the signature covers beside the body; `undefined` where it proves nothing, and nobody learns why
 */
export function verify(scheme: Scheme, secrets: readonly string[], message: Message, nowMs: number): Proof | undefined {
  const names = scheme.headerSets.find((set) => set.some((name) => message.headerValues(name).length > 0));
  const values = names?.map((name) => message.headerValues(name));
  if (!values || values.some(({ length }) => length !== 1)) return undefined;
  const claim = scheme.claim(...values.flat());
  if (!claim || !isTimely(claim, nowMs)) return undefined;
  const signed = [Buffer.from(claim.prefix), message.body];
  // Each with each, though one is enough: the time tells nothing about which it was.
  const results = secrets.flatMap((secret) => {
    const isRight = scheme.keyOf(secret)?.(signed);
    return claim.signatures.map((signature) => isRight?.(signature) ?? false);
  });
  return results.includes(true) ? { messageId: claim.messageId } : undefined;
}

/** What a right signature covers beside the body. */
export interface Proof {
  /** What names the message, where the scheme signs that. */
  readonly messageId: string | undefined;
}

function isTimely({ signedAtMs }: Claim, nowMs: number): boolean {
  return signedAtMs === undefined || Math.abs(nowMs - signedAtMs) <= TOLERANCE_MS;
}
