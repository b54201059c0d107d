import * as z from 'zod/mini';
import { recordOf } from '../storage/record.ts';
import type { CachedSecret } from './cached-secret.ts';

const StoredKey = recordOf(() => ({
  id: z.string().check(z.minLength(1)),
  /** The secret of the key: at least 256 bits, as HS256 requires. */
  secret: z.string().check(z.minLength(32)),
  /** When the key starts to sign tokens; absent for the first key. The key may verify tokens before this time. */
  signsFromUtc: z.optional(z.iso.datetime()),
}));

/** The schema of the secret with the signing keys, the newest first. A new stack stores a single key without a list. */
export const StoredKeys = z.union([
  recordOf(() => ({ keys: z.array(StoredKey).check(z.minLength(1)) })),
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
  /** When the key starts to sign tokens, in milliseconds since 1970. */
  readonly signsFromMs: number;
}

/**
 * The keys that sign and verify tokens, the newest first. An old key stays until the last token that it signed expires.
 */
export type SigningKeys = readonly SigningKey[];

/**
 * Returns the signing keys. If `id` names a key that is not cached, it reads the secret again.
 * @throws {Problem} `unavailable` if the keys cannot be read at the moment
 */
export type ReadSigningKeys = (id?: string) => Promise<SigningKeys>;

/** Parses the secret of the signing keys. @throws if the secret has the wrong shape */
export function parseSigningKeys(value: unknown): SigningKeys {
  return StoredKeys.parse(value).keys.map((key) => ({
    id: key.id,
    secret: new TextEncoder().encode(key.secret),
    signsFromMs: signsFromMs(key),
  }));
}

/** Returns when a stored key starts to sign tokens, in milliseconds since 1970. */
export function signsFromMs({ signsFromUtc }: { readonly signsFromUtc?: string | undefined }): number {
  return signsFromUtc === undefined ? 0 : Date.parse(signsFromUtc);
}

/**
 * Creates a `ReadSigningKeys` on a cached secret. It reads the secret again if a key id is unknown. A rotation may end
 * only after its new key starts to sign. Another process may then sign with that key before this process has read it.
 */
export function cachedSigningKeys(secret: CachedSecret<SigningKeys>): ReadSigningKeys {
  return async (id) => {
    const keys = await secret.read();
    return id === undefined || keys.some((key) => key.id === id) ? keys : secret.renew();
  };
}

/**
 * Returns the key that signs tokens at a given time: the newest key that has started to sign, or the oldest key if none
 * has.
 */
export function signingKeyAt(keys: SigningKeys, nowMs: number): SigningKey {
  const key = keys.find((candidate) => candidate.signsFromMs <= nowMs) ?? keys.at(-1);
  if (!key) throw new RangeError('There is no signing key');
  return key;
}
