import { COMPANY_ID, type Refusal } from '../contract/basic-credentials.ts';
import type { Scope } from '../contract/routes.ts';
import type { Guard } from '../idempotency/commit.ts';
import type { ItemReader, Write } from '../storage/port.ts';
import { keyIdOf, matchesHash } from './api-key.ts';
import { findCompany, guardCompany } from './company-record.ts';
import { CredentialsRefused } from './credentials-refused.ts';
import { checkGuard, findGuard, type GuardRecord } from './guards.ts';
import { KeyRecord, keyRecordKey } from './key-record.ts';
import { isInNetworks } from './networks.ts';

/** The company and the API key that sent a request, proved by its credentials. */
export interface Principal {
  readonly companyId: string;
  readonly keyId: string;
  /** The version of the key's record; absent for the sandbox key, which has no record. */
  readonly keyVersion?: number;
  /** When the key expires, in milliseconds since 1970; absent if it never does. */
  readonly keyExpiresAtMs?: number;
  readonly scopes: readonly Scope[];
  /** How many projects the company may create in a day; absent if there is no limit. */
  readonly projectsADay?: number;
  /** Whether the company is suspended, so that every operation refuses the request. */
  readonly isSuspended?: boolean;
}

/** When and from where an API key, or a token that was issued for it, is used. */
export interface KeyUse {
  /** The IP address of the sender; `undefined` if it is not known. */
  readonly address: string | undefined;
  /** The current time, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** The API keys of all companies. Every method throws the problem `unavailable` if the store fails. */
export interface KeyDirectory {
  /** Verifies the API key of a company. @throws {CredentialsRefused} if the key is wrong, or may not be used now */
  verifyApiKey(companyId: string, apiKey: string, use: KeyUse): Promise<Principal>;
  /**
   * Verifies an API key that is sent without a company id. Returns `undefined` if the text is not an API key.
   * @throws {CredentialsRefused} if the key is wrong, or may not be used now
   */
  verifyApiKeyAlone(apiKey: string, use: KeyUse): Promise<Principal | undefined>;
  /** Finds the API key that a token was issued for. @throws {CredentialsRefused} if the key may not be used now */
  findActiveKey(companyId: string, keyId: string, use: KeyUse): Promise<Principal>;
  /**
   * Creates a check for a commit: the commit fails unless the key is unchanged. Returns `undefined` for the sandbox
   * key if its company is not in the store. Reads the guard of the key, and not its record.
   * @throws {CredentialsRefused} if the key may not be used now
   */
  guardKey(
    caller: { readonly companyId: string; readonly keyId: string },
    requestId: string,
    use: KeyUse,
  ): Promise<Write | undefined>;
  /**
   * Creates a check for a commit without a key: the commit fails unless the company is still active.
   * @throws {Problem} `company-suspended`
   */
  guardCompany(companyId: string, requestId: string): Promise<Write | undefined>;
}

/** The detail of the problem if a deletion is refused because its API key is no longer active. */
export const INACTIVE_KEY = 'The API key is no longer active. Segue did nothing.';

/** Creates the directory of the API keys in a store. Verifying an active key takes one read. */
export function storedKeys(store: ItemReader): KeyDirectory {
  /** @param of the id of the company that sent the request, or the function that returns it for a found key */
  async function find(
    keyId: string,
    companyId: string | undefined,
    refuse: (record: KeyRecord) => Refusal | undefined,
  ): Promise<Principal> {
    const item = await store.read(keyRecordKey(keyId));
    const found = item && KeyRecord.parse(item.data);
    // A key that belongs to another company is refused like one that does not exist.
    const record = companyId === undefined || found?.companyId === companyId ? found : undefined;
    const refusal = record ? refuse(record) : 'unknown-key';
    if (item && record && !refusal) {
      const { expiresAtUtc, projectsADay } = record;
      return {
        companyId: record.companyId,
        keyId,
        keyVersion: item.version,
        ...(expiresAtUtc !== undefined && { keyExpiresAtMs: Date.parse(expiresAtUtc) }),
        ...(projectsADay !== undefined && { projectsADay }),
        scopes: record.scopes,
      };
    }
    // Every refusal reads the company: with Basic credentials, the response time must not show which ids exist.
    // This does not hold for keys without a company id: they are looked up first, so an unknown one is refused sooner.
    const owner = record?.companyId ?? companyId;
    const company = owner === undefined ? undefined : await findCompany(store, owner);
    if (!company && !record) throw new CredentialsRefused(companyId === undefined ? 'unknown-key' : 'unknown-company');
    throw new CredentialsRefused(refusal ?? 'unknown-key', { companyId: owner, ...(record && { keyId }) });
  }

  function verify(keyId: string, companyId: string | undefined, apiKey: string, use: KeyUse): Promise<Principal> {
    return find(keyId, companyId, (record) =>
      matchesHash(apiKey, record.hash) ? useRefusal(record, use) : 'wrong-key',
    );
  }

  return {
    async verifyApiKey(companyId, apiKey, use) {
      const keyId = COMPANY_ID.test(companyId) ? keyIdOf(apiKey) : undefined;
      if (keyId === undefined) throw new CredentialsRefused('malformed-key');
      return verify(keyId, companyId, apiKey, use);
    },
    async verifyApiKeyAlone(apiKey, use) {
      const keyId = keyIdOf(apiKey);
      return keyId === undefined ? undefined : verify(keyId, undefined, apiKey, use);
    },
    findActiveKey: (companyId, keyId, use) => find(keyId, companyId, (record) => useRefusal(record, use)),
    guardCompany: (companyId, requestId) => guardCompany(store, companyId, requestId),
    async guardKey({ companyId, keyId }, requestId, use) {
      const guarded = { kind: 'key', id: keyId } as const;
      const guard = await findGuard(store, guarded, requestId);
      const refusal = guard ? useRefusal(guard, use) : 'unknown-key';
      if (guard && !refusal) return checkGuard(guarded, requestId, guard.version);
      throw new CredentialsRefused(refusal ?? 'unknown-key', { companyId, keyId }, INACTIVE_KEY);
    },
  };
}

/** Returns why a key may not be used now, or `undefined` if it may. */
function useRefusal({ state, expiresAtUtc, networks }: GuardRecord, { address, nowMs }: KeyUse): Refusal | undefined {
  const isSuspended = state === 'suspended';
  if (state !== 'active' && !isSuspended) return state;
  // Only a key that could be used otherwise may show that its company is suspended.
  if (expiresAtUtc !== undefined && Date.parse(expiresAtUtc) <= nowMs) return 'expired-key';
  if (networks && !isInNetworks(address, networks)) return 'other-network';
  return isSuspended ? 'suspended' : undefined;
}

/**
 * Creates the guard of deletions: a deletion commits only while its API key may be used. Webhook sources and workflows
 * have no key. Their deletions commit only while the company is active.
 * @param keys opens the directory; called at the first deletion
 * @param now returns the current time, in milliseconds since 1970
 */
export function keyGuard(keys: () => KeyDirectory, now: () => number): Guard {
  return {
    presume: ({ requestedBy: { kind, id }, keyVersion, keyExpiresAtMs = Number.POSITIVE_INFINITY, requestId }) =>
      kind === 'key' && id !== null && keyVersion !== undefined && now() < keyExpiresAtMs
        ? checkGuard({ kind: 'key', id }, requestId, keyVersion)
        : undefined,
    async require({ companyId, requestedBy: { kind, id }, requestId, address }) {
      if (kind !== 'key' || id === null) return keys().guardCompany(companyId, requestId);
      return keys().guardKey({ companyId, keyId: id }, requestId, { address, nowMs: now() });
    },
  };
}
