import * as z from 'zod/mini';
import { COMPANY_ID, type Refusal } from '../contract/credentials.ts';
import { SCOPES, type Scope } from '../contract/routes.ts';
import type { Guard } from '../idempotency/commit.ts';
import type { ItemReader, Key, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { keyIdOf, matchesHash } from './api-key.ts';
import { COMPANIES, COMPANY_STATES, findCompany, guardCompany } from './company-record.ts';
import { Unauthenticated } from './unauthenticated.ts';

/** The company and the API key that sent a request, proved by its credentials. */
export interface Principal {
  readonly companyId: string;
  readonly keyId: string;
  /** The version of the key's record; absent for the sandbox key, which has no record. */
  readonly keyVersion?: number;
  readonly scopes: readonly Scope[];
}

/** The record of an API key. */
export const KeyRecord = recordOf({
  /** The SHA-256 of the API key, in hex. */
  hash: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The state of the key: `revoked`, or else the state of its company. */
  state: z.enum([...COMPANY_STATES, 'revoked']),
  createdAtUtc: z.string(),
  revokedAtUtc: z.optional(z.string()),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** Returns the storage key of an API key's record. */
export function keyRecordKey(companyId: string, keyId: string): Key {
  return { partition: `company/${companyId}`, sort: `key/${keyId}` };
}

/** The record that names the company of an API key. */
export const KeyOwner = recordOf({ companyId: z.string() });

/**
 * Returns the storage key of a `KeyOwner` record. Segue reads this record if a request sends an API key without a
 * company id.
 */
export function keyOwnerKey(keyId: string): Key {
  return { partition: COMPANIES, sort: `key/${keyId}` };
}

/** The API keys of all companies. Every method throws the problem `unavailable` if the store fails. */
export interface KeyDirectory {
  /** Verifies the API key of a company. @throws {Unauthenticated} if the key is wrong or not active */
  verifyApiKey(companyId: string, apiKey: string): Promise<Principal>;
  /**
   * Verifies an API key that is sent without a company id. Returns `undefined` if the text is not an API key.
   * @throws {Unauthenticated} if the key is wrong or not active
   */
  verifyApiKeyAlone(apiKey: string): Promise<Principal | undefined>;
  /** Finds the API key that a token was issued for. @throws {Unauthenticated} if the key is not active */
  findActiveKey(companyId: string, keyId: string): Promise<Principal>;
  /**
   * Creates a check for a commit: the commit fails unless the key is still active. Returns `undefined` for the sandbox
   * key if its company is not in the store.
   * @throws {Unauthenticated} if the key is not active now
   */
  guardKey(companyId: string, keyId: string): Promise<Write | undefined>;
  /**
   * Creates a check for a commit without a key: the commit fails unless the company is still active.
   * @throws {Problem} `company-suspended`
   */
  guardCompany(companyId: string): Promise<Write | undefined>;
}

/**
 * Creates a check for a commit: the commit fails if the key's record has changed since `version` was read. The record
 * changes if the key is revoked or its company is suspended.
 */
function checkKeyVersion(companyId: string, keyId: string, version: number): Write {
  return { kind: 'check', key: keyRecordKey(companyId, keyId), version };
}

/** The detail of the problem if a deletion is refused because its API key is no longer active. */
export const INACTIVE_KEY = 'The API key is no longer active. Segue did nothing.';

/**
 * Creates the directory of the API keys in a store. Verifying an active key takes one read, or two if no company id is
 * sent.
 */
export function storedKeys(store: ItemReader): KeyDirectory {
  async function find(
    companyId: string,
    keyId: string,
    refuse: (record: KeyRecord) => Refusal | undefined = stateRefusal,
  ): Promise<Principal & { readonly keyVersion: number }> {
    const item = await store.read(keyRecordKey(companyId, keyId));
    const record = item && KeyRecord.parse(item.data);
    const refusal = record ? refuse(record) : 'unknown-key';
    if (item && record && !refusal) return { companyId, keyId, keyVersion: item.version, scopes: record.scopes };
    // Every refusal reads the company: with Basic credentials, the response time must not show which ids exist.
    // This does not hold for keys without a company id: they are looked up first, so an unknown one is refused sooner.
    const company = await findCompany(store, companyId);
    if (!company && !record) throw new Unauthenticated('unknown-company');
    throw new Unauthenticated(refusal ?? 'unknown-key', { companyId, ...(record && { keyId }) });
  }

  function verify(companyId: string, keyId: string, apiKey: string): Promise<Principal> {
    return find(companyId, keyId, (record) => (matchesHash(apiKey, record.hash) ? stateRefusal(record) : 'wrong-key'));
  }

  return {
    async verifyApiKey(companyId, apiKey) {
      const keyId = COMPANY_ID.test(companyId) ? keyIdOf(apiKey) : undefined;
      if (keyId === undefined) throw new Unauthenticated('malformed');
      return verify(companyId, keyId, apiKey);
    },
    async verifyApiKeyAlone(apiKey) {
      const keyId = keyIdOf(apiKey);
      if (keyId === undefined) return undefined;
      const owner = await store.read(keyOwnerKey(keyId));
      if (!owner) throw new Unauthenticated('unknown-key');
      return verify(KeyOwner.parse(owner.data).companyId, keyId, apiKey);
    },
    findActiveKey: (companyId, keyId) => find(companyId, keyId),
    guardCompany: (companyId) => guardCompany(store, companyId),
    async guardKey(companyId, keyId) {
      try {
        return checkKeyVersion(companyId, keyId, (await find(companyId, keyId)).keyVersion);
      } catch (error) {
        throw error instanceof Unauthenticated ? new Unauthenticated(error.refusal, error.ids, INACTIVE_KEY) : error;
      }
    },
  };
}

function stateRefusal({ state }: KeyRecord): Refusal | undefined {
  return state === 'active' ? undefined : state;
}

/**
 * Creates the guard of deletions: a deletion commits only while its API key is active. Webhook sources and workflows
 * have no key. Their deletions commit only while the company is active.
 */
export function keyGuard(keys: KeyDirectory): Guard {
  return {
    presume: ({ companyId, requestedBy: { kind, id }, keyVersion }) =>
      kind === 'key' && id !== null && keyVersion !== undefined
        ? checkKeyVersion(companyId, id, keyVersion)
        : undefined,
    require: ({ companyId, requestedBy: { kind, id } }) =>
      kind === 'key' && id !== null ? keys.guardKey(companyId, id) : keys.guardCompany(companyId),
  };
}
