import type { Authentication } from './authentication.ts';
import { readBasic } from './basic.ts';
import type { Principal } from './principal.ts';
import { isLive } from './token-families.ts';
import { keyIdOf, readToken } from './tokens.ts';

/** Finds out who sent an `Authorization` header; `undefined` where it proves nobody. */
export async function authenticate(header: string, authentication: Authentication): Promise<Principal | undefined> {
  const { keys, store, signingKeys, now } = authentication;
  const basic = readBasic(header);
  if (basic) return keys.byApiKey(basic.companyId, basic.apiKey);
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  if (token === undefined) return undefined;
  const byKey = await keys.byApiKeyAlone(token);
  if (byKey) return byKey;
  const subject = await readToken('access', token, await signingKeys(keyIdOf('access', token)), now());
  if (!subject) return undefined;
  const [principal, live] = await Promise.all([keys.byKeyId(subject.companyId, subject.keyId), isLive(store, subject)]);
  return live ? principal : undefined;
}
