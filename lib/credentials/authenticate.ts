import { readAccessToken } from './access-token.ts';
import { readBasic } from './basic.ts';
import type { KeyDirectory } from './keys.ts';
import type { Principal } from './principal.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface Authentication {
  readonly keys: KeyDirectory;
  readonly signingKeys: () => Promise<SigningKeys>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A text that no other process gives, such as a UUID. */
  readonly newId: () => string;
}

/** Finds out who sent an `Authorization` header; `undefined` where it proves nobody. */
export async function authenticate(
  header: string,
  { keys, signingKeys, now }: Authentication,
): Promise<Principal | undefined> {
  const basic = readBasic(header);
  if (basic) return keys.byApiKey(basic.companyId, basic.apiKey);
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  const subject = token && (await readAccessToken(token, await signingKeys(), now()));
  return subject ? keys.byKeyId(subject.companyId, subject.keyId) : undefined;
}
