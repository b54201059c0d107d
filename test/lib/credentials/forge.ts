import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSigningKeys, type SigningKey } from '../../../lib/credentials/signing-keys.ts';

type Values = Readonly<Record<string, unknown>>;

/** A token taken apart. */
export interface Parts {
  readonly header: Values;
  readonly claims: Values;
}

/** The newest of the signing keys in a data folder: the true one. */
export function trueSigningKey(folder: string): SigningKey {
  const [key] = parseSigningKeys(JSON.parse(readFileSync(join(folder, 'signing-keys.json'), 'utf8')));
  if (!key) throw new Error('There is no signing key');
  return key;
}

export function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Takes a token apart. */
export function partsOf(token: string): Parts {
  const [header, claims] = token
    .split('.', 2)
    .map((part): Values => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header: header ?? {}, claims: claims ?? {} };
}

/** Signs two texts, JSON or not, as a token is signed. */
export function sign(header: string, claims: string, secret: Uint8Array, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** What makes tokens like a given one, signed with the true secret. */
export function forger(token: string, { secret }: SigningKey) {
  const { header, claims } = partsOf(token);
  return {
    /** The token, but for what is given; a value given as `undefined` is left out. */
    forge: (changes: Partial<Parts> = {}, hash?: string) =>
      sign(
        JSON.stringify({ ...header, ...changes.header }),
        JSON.stringify({ ...claims, ...changes.claims }),
        secret,
        hash,
      ),
    /** The token with its JSON as it is given. */
    forgeText: (change: { readonly header?: (json: string) => string; readonly claims?: (json: string) => string }) => {
      const same = (json: string) => json;
      const { header: ofHeader = same, claims: ofClaims = same } = change;
      return sign(ofHeader(JSON.stringify(header)), ofClaims(JSON.stringify(claims)), secret);
    },
  };
}
