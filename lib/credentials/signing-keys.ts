import * as z from 'zod/mini';

const SigningKey = z.strictObject({
  id: z.string().check(z.minLength(1)),
  /** At least 256 bits, as HS256 asks for. */
  secret: z.string().check(z.minLength(32)),
});

/** The keys that sign access tokens: the newest first, older ones as long as a token they signed may live. */
const SigningKeys = z.strictObject({ keys: z.array(SigningKey).check(z.minLength(1)) });

export type SigningKeys = readonly { readonly id: string; readonly secret: Uint8Array }[];

/**
 * Reads the secret that holds the signing keys. A stack makes it with a single key.
 * @throws where it has another shape
 */
export function readSigningKeys(value: unknown): SigningKeys {
  const { keys } = z
    .union([
      SigningKeys,
      z.pipe(
        SigningKey,
        z.transform((key) => ({ keys: [key] })),
      ),
    ])
    .parse(value);
  return keys.map(({ id, secret }) => ({ id, secret: new TextEncoder().encode(secret) }));
}
