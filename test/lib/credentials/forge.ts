import { createHmac } from 'node:crypto';
import type { SigningKey } from '../../../lib/credentials/signing-keys.ts';

type Values = Readonly<Record<string, unknown>>;

/** The parts of a token. */
export interface Parts {
  readonly header: Values;
  readonly claims: Values;
}

export function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Decodes a token. */
export function partsOf(token: string): Parts {
  const [header, claims] = token
    .split('.', 2)
    .map((part): Values => JSON.parse(Buffer.from(part, 'base64url').toString()));
  return { header: header ?? {}, claims: claims ?? {} };
}

/** Makes a token of two texts, JSON or not. */
export function sign(header: string, claims: string, secret: Uint8Array, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** Makes tokens like a given one, signed with the right secret. */
export function forger(token: string, { secret }: SigningKey) {
  const { header, claims } = partsOf(token);
  return {
    /** The token with some values changed; `undefined` leaves a value out. */
    forge: (changes: Partial<Parts> = {}, hash?: string) =>
      sign(
        JSON.stringify({ ...header, ...changes.header }),
        JSON.stringify({ ...claims, ...changes.claims }),
        secret,
        hash,
      ),
    /** The token with its JSON text changed. */
    forgeText: (change: { readonly header?: (json: string) => string; readonly claims?: (json: string) => string }) => {
      const same = (json: string) => json;
      const { header: ofHeader = same, claims: ofClaims = same } = change;
      return sign(ofHeader(JSON.stringify(header)), ofClaims(JSON.stringify(claims)), secret);
    },
  };
}
