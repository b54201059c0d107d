import * as z from 'zod/mini';
import type { CachedSecret } from './secrets.ts';
import { REFRESH_TOKEN_SECONDS, SKEW_SECONDS } from './token-times.ts';

const StoredKey = z.strictObject({
  id: z.string().check(z.minLength(1)),
  /** At least 256 bits, as HS256 asks for. */
  secret: z.string().check(z.minLength(32)),
  /** From when on it signs; absent for the first key. Tokens are verified with it before that too. */
  signsFromUtc: z.optional(z.iso.datetime()),
});

/** The secret that holds the signing keys, the newest first. A stack makes it with a single key. */
const StoredKeys = z.union([
  z.strictObject({ keys: z.array(StoredKey).check(z.minLength(1)) }),
  z.pipe(
    StoredKey,
    z.transform((key) => ({ keys: [key] })),
  ),
]);
export type StoredKeys = z.infer<typeof StoredKeys>;

/** A key that signs tokens. */
export interface SigningKey {
  readonly id: string;
  readonly secret: Uint8Array;
  /** From when on it signs, in milliseconds since 1970. */
  readonly signsFromMs: number;
}

/** The keys that sign tokens, the newest first: older ones as long as a token they signed may live. */
export type SigningKeys = readonly SigningKey[];

/** @throws where the secret has another shape */
export function readSigningKeys(value: unknown): SigningKeys {
  return StoredKeys.parse(value).keys.map((key) => ({
    id: key.id,
    secret: new TextEncoder().encode(key.secret),
    signsFromMs: signsFromMs(key),
  }));
}

/**
 * Gives the keys of a secret as they are kept; where one is asked for that is not among them, as they are now: a rotation
 * that was finished late may have another process sign with a key before this one has read it.
 */
export function signingKeysOf(secret: CachedSecret<SigningKeys>): (id?: string) => Promise<SigningKeys> {
  return async (id) => {
    const keys = await secret.read();
    return id === undefined || keys.some((key) => key.id === id) ? keys : secret.renew();
  };
}

/** The key that signs at a moment: the newest whose time has come. */
export function signingKeyAt(keys: SigningKeys, nowMs: number): SigningKey {
  const key = keys.find((candidate) => candidate.signsFromMs <= nowMs) ?? keys.at(-1);
  if (!key) throw new RangeError('There is no signing key');
  return key;
}

/** Everybody who keeps the set has read it anew by then: twice as long as it is kept. */
const SIGNS_AFTER_MS = 60_000;

/** How long a key that signs no more is needed: as long as the last token that it signed. */
const NEEDED_MS = (REFRESH_TOKEN_SECONDS + 2 * SKEW_SECONDS) * 1_000;

/**
 * Adds a key to a set. It signs later, so that nobody meets a token of a key that he has not read yet; keys leave the
 * set once the last token that they signed has expired.
 * @param value the secret as it is
 * @param signsAfterMs how much later: a minute, unless it takes longer until the set can be read
 * @throws where the secret has another shape
 */
export function rotateSigningKeys(
  value: unknown,
  added: { id: string; secret: string },
  nowMs: number,
  signsAfterMs = SIGNS_AFTER_MS,
): StoredKeys {
  const signsFromUtc = new Date(nowMs + signsAfterMs).toISOString();
  const keys = [{ ...added, signsFromUtc }, ...StoredKeys.parse(value).keys];
  // A key signs until the next newer one does.
  const isNeeded = (index: number) => {
    const next = keys[index - 1];
    return next === undefined || signsFromMs(next) + NEEDED_MS > nowMs;
  };
  return { keys: keys.filter((_, index) => isNeeded(index)) };
}

function signsFromMs({ signsFromUtc }: { readonly signsFromUtc?: string | undefined }): number {
  return signsFromUtc === undefined ? 0 : Date.parse(signsFromUtc);
}
