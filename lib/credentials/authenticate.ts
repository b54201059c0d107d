import type { Authentication } from './authentication.ts';
import { readBasic } from './basic.ts';
import type { Principal } from './principal.ts';
import { Unauthenticated } from './refusal.ts';
import { endOfFamily } from './token-families.ts';
import { keyIdOf, readToken } from './tokens.ts';

/**
 * Finds out who sent an `Authorization` header.
 * @throws {Unauthenticated} if it proves nobody
 */
export async function authenticate(header: string, authentication: Authentication): Promise<Principal> {
  const { keys, store, signingKeys, now } = authentication;
  const basic = readBasic(header);
  if (basic) return keys.byApiKey(basic.companyId, basic.apiKey);
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  if (token === undefined) throw new Unauthenticated('malformed');
  const byKey = await keys.byApiKeyAlone(token);
  if (byKey) return byKey;
  const subject = await readToken('access', token, await signingKeys(keyIdOf('access', token)), now());
  const [principal, end] = await Promise.all([
    keys.byKeyId(subject.companyId, subject.keyId),
    endOfFamily(store, subject),
  ]);
  if (end) throw new Unauthenticated(end, subject);
  return principal;
}
