import { readBasic } from '../contract/basic-credentials.ts';
import type { ItemStore } from '../storage/port.ts';
import { CredentialsRefused } from './credentials-refused.ts';
import type { KeyDirectory, Principal } from './key-directory.ts';
import type { CompanyRate } from './rate-limit.ts';
import type { ReadSigningKeys } from './signing-keys.ts';
import { findFamilyRefusal } from './token-family.ts';
import { signingKeyIdOf, verifyToken } from './tokens.ts';

/** The dependencies of authentication and of the token operations. */
export interface AuthDeps {
  readonly keys: KeyDirectory;
  /** The store of the token families. */
  readonly store: ItemStore;
  readonly signingKeys: ReadSigningKeys;
  /** Limits the sign-ins and token refreshes of a company. Default: no limit. */
  readonly rate?: CompanyRate | undefined;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Creates a globally unique id, such as a UUID. */
  readonly newId: () => string;
}

/**
 * Verifies the credentials in an `Authorization` header. Returns the ids of the company and the API key, and the key's
 * scopes. The header may contain Basic credentials, a bearer API key or an access token.
 * @param address the IP address of the sender
 * @throws {CredentialsRefused} if the credentials are missing or wrong, or the company is suspended
 * @throws {Problem} `unavailable` if the credentials cannot be checked at the moment
 */
export async function authenticate(
  header: string,
  address: string | undefined,
  { keys, store, signingKeys, now }: AuthDeps,
): Promise<Principal> {
  const use = { address, nowMs: now() };
  const basic = readBasic(header);
  if (header === '') throw new CredentialsRefused('missing');
  if (basic) return keys.verifyApiKey(basic.companyId, basic.apiKey, use);
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  if (token === undefined) throw new CredentialsRefused('malformed');
  const byKey = await keys.verifyApiKeyAlone(token, use);
  if (byKey) return byKey;
  const subject = await verifyToken('access', token, await signingKeys(signingKeyIdOf('access', token)), use.nowMs);
  const [principal, refusal] = await Promise.all([
    keys.findActiveKey(subject.companyId, subject.keyId, use).catch(suspendedOnly),
    findFamilyRefusal(store, subject),
  ]);
  if (refusal) throw new CredentialsRefused(refusal, subject);
  if (principal instanceof CredentialsRefused) throw principal;
  const { scopes: limit } = subject;
  return limit ? { ...principal, scopes: principal.scopes.filter((scope) => limit.includes(scope)) } : principal;
}

/** Returns the refusal of a suspended company, which only holders of valid credentials may see; throws any other error. */
function suspendedOnly(error: unknown): CredentialsRefused {
  if (error instanceof CredentialsRefused && error.refusal === 'suspended') return error;
  throw error;
}
