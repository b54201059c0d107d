import * as z from 'zod/mini';
import { COMPANY_ID, type Refusal } from '../contract/credentials.ts';
import { SCOPES, type Scope } from '../contract/routes.ts';
import type { Guard } from '../idempotency/commit.ts';
import type { ItemReader, Key, Write } from '../storage/port.ts';
import { keyIdOf, matchesHash } from './api-key.ts';
import { COMPANIES, COMPANY_STATES, findCompany, guardCompany } from './company-record.ts';
import { Unauthenticated } from './unauthenticated.ts';

/** Who a request comes from, as its credentials prove. */
export interface Principal {
  readonly companyId: string;
  readonly keyId: string;
  /** The version of the key's record; absent for the sandbox key, which is never revoked. */
  readonly keyVersion?: number;
  readonly scopes: readonly Scope[];
}

/** The record of an API key. */
export const KeyRecord = z.strictObject({
  /** The SHA-256 of the API key, in hex. */
  hash: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The state of its company until the key is revoked. */
  state: z.enum([...COMPANY_STATES, 'revoked']),
  createdAtUtc: z.string(),
  revokedAtUtc: z.optional(z.string()),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The storage key of an API key's record. */
export function keyRecordKey(companyId: string, keyId: string): Key {
  return { partition: `company/${companyId}`, sort: `key/${keyId}` };
}

/** The record of the company that an API key belongs to. */
export const KeyOwner = z.strictObject({ companyId: z.string() });

/** The storage key of that record, for requests that send an API key without its company. */
export function keyOwnerKey(keyId: string): Key {
  return { partition: COMPANIES, sort: `key/${keyId}` };
}

/** The API keys of all companies. Every method may fail with the problem `unavailable`. */
export interface KeyDirectory {
  /** Verifies an API key of a company. @throws {Unauthenticated} if it is wrong or not active */
  verifyApiKey(companyId: string, apiKey: string): Promise<Principal>;
  /** Verifies an API key that comes without its company. Returns `undefined` for a text that is no API key. */
  verifyApiKeyAlone(apiKey: string): Promise<Principal | undefined>;
  /** Finds the key that a token was obtained with. @throws {Unauthenticated} if it is not active */
  findActiveKey(companyId: string, keyId: string): Promise<Principal>;
  /**
   * Makes a check that fails a batch unless the key is still active. Returns `undefined` for the sandbox key if its company
   * is not in the store.
   * @throws {Unauthenticated} if it is not active now
   */
  guardKey(companyId: string, keyId: string): Promise<Write | undefined>;
  /** Makes the same check of a company, for callers without a key. @throws {Problem} `company-suspended` */
  guardCompany(companyId: string): Promise<Write | undefined>;
}

/** Makes a check that fails a batch if the key was revoked or its company suspended since its record was read. */
function checkKeyVersion(companyId: string, keyId: string, version: number): Write {
  return { kind: 'check', key: keyRecordKey(companyId, keyId), version };
}

/** The detail of a key that was refused before a deletion. */
export const INACTIVE_KEY = 'The key is no longer active, and nothing was done.';

/** The API keys in a store. An active key costs one read, and a second one if it comes without its company. */
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
    // Read for every refusal: with Basic credentials the duration must not show which ids exist. A key sent without its
    // company is looked up first, so there an unknown key id is refused sooner.
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
 * Makes a deletion depend on its key: it commits only while the key is active. Webhook sources and workflows have no key,
 * so their deletions depend on their company.
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
