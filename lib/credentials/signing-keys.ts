import * as z from 'zod/mini';
import type { CachedSecret } from './cached-secret.ts';

const StoredKey = z.strictObject({
  id: z.string().check(z.minLength(1)),
  /** At least 256 bits, as HS256 requires. */
  secret: z.string().check(z.minLength(32)),
  /** When the key starts to sign; absent for the first key. It verifies tokens before that too. */
  signsFromUtc: z.optional(z.iso.datetime()),
});

/** The secret with the signing keys, the newest first. A stack creates it with a single key. */
export const StoredKeys = z.union([
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
  /** When it starts to sign, in milliseconds since 1970. */
  readonly signsFromMs: number;
}

/** The keys that sign and verify tokens, the newest first. Old keys stay as long as a token that they signed may live. */
export type SigningKeys = readonly SigningKey[];

/**
 * Returns the signing keys. With the id of a key that is not among the cached ones, it reads the secret again.
 * @throws {Problem} `unavailable` if the keys cannot be read now
 */
export type ReadSigningKeys = (id?: string) => Promise<SigningKeys>;

/** Parses the secret. @throws if it has the wrong shape */
export function parseSigningKeys(value: unknown): SigningKeys {
  return StoredKeys.parse(value).keys.map((key) => ({
    id: key.id,
    secret: new TextEncoder().encode(key.secret),
    signsFromMs: signsFromMs(key),
  }));
}

/** When a stored key starts to sign, in milliseconds since 1970. */
export function signsFromMs({ signsFromUtc }: { readonly signsFromUtc?: string | undefined }): number {
  return signsFromUtc === undefined ? 0 : Date.parse(signsFromUtc);
}

/**
 * Reads the signing keys from a cached secret. An unknown key id renews it: after a late rotation, another process may sign
 * with a key that this one has not read yet.
 */
export function cachedSigningKeys(secret: CachedSecret<SigningKeys>): ReadSigningKeys {
  return async (id) => {
    const keys = await secret.read();
    return id === undefined || keys.some((key) => key.id === id) ? keys : secret.renew();
  };
}

/** Returns the key that signs at a time: the newest one that has started. */
export function signingKeyAt(keys: SigningKeys, nowMs: number): SigningKey {
  const key = keys.find((candidate) => candidate.signsFromMs <= nowMs) ?? keys.at(-1);
  if (!key) throw new RangeError('There is no signing key');
  return key;
}
