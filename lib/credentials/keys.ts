import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/company-id.ts';
import { WWW_AUTHENTICATE } from '../contract/gateway-responses.ts';
import { Problem } from '../contract/problem.ts';
import { SCOPES } from '../contract/routes.ts';
import type { Item, ItemReader, Key, Write } from '../storage/port.ts';
import { hashApiKey, keyIdOf, matchesHash } from './api-key.ts';
import type { Principal } from './principal.ts';

/** What is kept of a company's key. */
export const KeyRecord = z.strictObject({
  /** SHA-256 of the API key, in hex. */
  hash: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  state: z.enum(['active', 'revoked']),
  createdAtUtc: z.string(),
  revokedAtUtc: z.optional(z.string()),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The partition that every company is listed in. */
export const COMPANIES = 'companies';

/** The keys of all companies. */
export interface KeyDirectory {
  /** Whom an API key belongs to; `undefined` for a wrong or revoked one. */
  byApiKey(companyId: string, apiKey: string): Promise<Principal | undefined>;
  /** The same for an API key that comes without its company: the key's id leads to it. */
  byApiKeyAlone(apiKey: string): Promise<Principal | undefined>;
  /** The same for a key that proved itself before, when it obtained a token. */
  byKeyId(companyId: string, keyId: string): Promise<Principal | undefined>;
  /**
   * What makes a batch hold only while a key is active; `undefined` for a key that is never revoked.
   * @throws {Problem} `unauthenticated` where it is revoked now
   */
  guard(companyId: string, keyId: string): Promise<Write | undefined>;
}

/** Where a company's key is in the table. */
export function keyOf(companyId: string, keyId: string): Key {
  return { partition: `company/${companyId}`, sort: `key/${keyId}` };
}

/** The company of a key. */
export const KeyOwner = z.strictObject({ companyId: z.string() });

/** Where the table has the company of a key, for requests that name the key alone. */
export function ownerKey(keyId: string): Key {
  return { partition: COMPANIES, sort: `key/${keyId}` };
}

/** What makes a batch hold only while a key is as it was when it was read: nothing changes it but its revocation. */
export function checkKey(companyId: string, keyId: string, version: number): Write {
  return { kind: 'check', key: keyOf(companyId, keyId), version };
}

interface Found {
  readonly record: KeyRecord;
  readonly item: Item;
}

function principalOf(companyId: string, keyId: string, { record, item }: Found): Principal {
  return { companyId, keyId, keyVersion: item.version, scopes: record.scopes };
}

/** The keys in the table: one read each, and one more for a key that comes without its company. */
export function keysInTable(table: ItemReader): KeyDirectory {
  async function active(companyId: string, keyId: string): Promise<Found | undefined> {
    const item = await table.read(keyOf(companyId, keyId));
    if (!item) return undefined;
    const record = KeyRecord.parse(item.data);
    return record.state === 'active' ? { record, item } : undefined;
  }

  async function byApiKey(companyId: string, apiKey: string): Promise<Principal | undefined> {
    const keyId = COMPANY_ID.test(companyId) ? keyIdOf(apiKey) : undefined;
    const found = keyId && (await active(companyId, keyId));
    return keyId && found && matchesHash(apiKey, found.record.hash) ? principalOf(companyId, keyId, found) : undefined;
  }

  return {
    byApiKey,
    async byApiKeyAlone(apiKey) {
      const keyId = keyIdOf(apiKey);
      const owner = keyId && (await table.read(ownerKey(keyId)));
      return owner ? byApiKey(KeyOwner.parse(owner.data).companyId, apiKey) : undefined;
    },
    async byKeyId(companyId, keyId) {
      const found = await active(companyId, keyId);
      return found && principalOf(companyId, keyId, found);
    },
    async guard(companyId, keyId) {
      const found = await active(companyId, keyId);
      if (found) return checkKey(companyId, keyId, found.item.version);
      const detail = 'The key has been revoked, and nothing was done.';
      throw new Problem('unauthenticated', { detail, wwwAuthenticate: WWW_AUTHENTICATE });
    },
  };
}

/** How many letters of its hash name a fixed key. */
const FIXED_KEY_ID_LETTERS = 12;

/** One fixed key with every scope, for a sandbox on one machine; any other is asked of the directory behind it. */
export function withFixedKey(fixed: { companyId: string; apiKey: string }, others: KeyDirectory): KeyDirectory {
  const hash = hashApiKey(fixed.apiKey);
  // Another key has another id, so that a token obtained with one is worth nothing after a start with the other.
  const keyId = `sandbox-${hash.slice(0, FIXED_KEY_ID_LETTERS)}`;
  const principal: Principal = { companyId: fixed.companyId, keyId, scopes: SCOPES };
  const isFixed = (companyId: string, id: string) => companyId === fixed.companyId && id === keyId;
  return {
    byApiKey: async (companyId, apiKey) =>
      companyId === fixed.companyId && matchesHash(apiKey, hash) ? principal : others.byApiKey(companyId, apiKey),
    byApiKeyAlone: async (apiKey) => (matchesHash(apiKey, hash) ? principal : others.byApiKeyAlone(apiKey)),
    byKeyId: async (companyId, id) => (isFixed(companyId, id) ? principal : others.byKeyId(companyId, id)),
    guard: async (companyId, id) => (isFixed(companyId, id) ? undefined : others.guard(companyId, id)),
  };
}
