import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/company-id.ts';
import type { Refusal } from '../contract/refusals.ts';
import { SCOPES } from '../contract/routes.ts';
import type { ItemReader, Key, Write } from '../storage/port.ts';
import { hashApiKey, keyIdOf, matchesHash } from './api-key.ts';
import {
  COMPANIES,
  COMPANY_STATES,
  checkCompany,
  companyGuard,
  type FoundCompany,
  findCompany,
} from './company-record.ts';
import type { Principal } from './principal.ts';
import { Unauthenticated } from './refusal.ts';

/** What is kept of a company's key. */
export const KeyRecord = z.strictObject({
  /** SHA-256 of the API key, in hex. */
  hash: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** That of its company until it is revoked. */
  state: z.enum([...COMPANY_STATES, 'revoked']),
  createdAtUtc: z.string(),
  revokedAtUtc: z.optional(z.string()),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The keys of all companies. */
export interface KeyDirectory {
  /**
   * Whom an API key belongs to.
   * @throws {Unauthenticated} if it is wrong or not active
   */
  byApiKey(companyId: string, apiKey: string): Promise<Principal>;
  /** The same for an API key that comes without its company. @returns `undefined` for a text that is no API key */
  byApiKeyAlone(apiKey: string): Promise<Principal | undefined>;
  /** The same for a key that proved itself before, when it obtained a token. */
  byKeyId(companyId: string, keyId: string): Promise<Principal>;
  /**
   * A check that fails a batch unless the key is still active. `undefined` for a fixed key if its company is not in the store.
   * @throws {Unauthenticated} if it is not active now
   */
  guard(companyId: string, keyId: string): Promise<Write | undefined>;
  /** The same check of a company, for callers without a key. @throws {Problem} `company-suspended` */
  companyGuard(companyId: string): Promise<Write | undefined>;
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

/**
 * A check that fails a batch if the key has changed since it was read. Only its revocation, and the suspension of its
 * company, change a key.
 */
export function checkKey(companyId: string, keyId: string, version: number): Write {
  return { kind: 'check', key: keyOf(companyId, keyId), version };
}

const INACTIVE = 'The key is no longer active, and nothing was done.';

/** The keys in the table: one read for a good key, and one more if it comes without its company. */
export function keysInTable(table: ItemReader): KeyDirectory {
  /** @param apiKey to prove; `undefined` if the key proved itself before */
  async function prove(companyId: string, keyId: string, apiKey?: string): Promise<Principal & { keyVersion: number }> {
    const item = await table.read(keyOf(companyId, keyId));
    const record = item && KeyRecord.parse(item.data);
    const refusal = refusalOf(record, apiKey);
    if (item && record && !refusal) return { companyId, keyId, keyVersion: item.version, scopes: record.scopes };
    // Read for every refusal: with Basic credentials its duration must not show which ids exist. A key sent without its
    // company is looked up first, so there an unknown key id is refused sooner.
    const company = await findCompany(table, companyId);
    if (!company && !record) throw new Unauthenticated('unknown-company');
    throw new Unauthenticated(refusal ?? 'unknown-key', { companyId, ...(record && { keyId }) });
  }

  return {
    async byApiKey(companyId, apiKey) {
      const keyId = COMPANY_ID.test(companyId) ? keyIdOf(apiKey) : undefined;
      if (keyId === undefined) throw new Unauthenticated('malformed');
      return prove(companyId, keyId, apiKey);
    },
    async byApiKeyAlone(apiKey) {
      const keyId = keyIdOf(apiKey);
      if (keyId === undefined) return undefined;
      const owner = await table.read(ownerKey(keyId));
      if (!owner) throw new Unauthenticated('unknown-key');
      return prove(KeyOwner.parse(owner.data).companyId, keyId, apiKey);
    },
    byKeyId: (companyId, keyId) => prove(companyId, keyId),
    companyGuard: (companyId) => companyGuard(table, companyId),
    async guard(companyId, keyId) {
      try {
        return checkKey(companyId, keyId, (await prove(companyId, keyId)).keyVersion);
      } catch (error) {
        throw error instanceof Unauthenticated ? new Unauthenticated(error.refusal, error.refused, INACTIVE) : error;
      }
    },
  };
}

function refusalOf(record: KeyRecord | undefined, apiKey: string | undefined): Refusal | undefined {
  if (!record) return 'unknown-key';
  if (apiKey !== undefined && !matchesHash(apiKey, record.hash)) return 'wrong-key';
  return record.state === 'active' ? undefined : record.state;
}

/** How many letters of its hash name a fixed key. */
const FIXED_KEY_ID_LETTERS = 12;

/**
 * One fixed key with every scope, for a sandbox on one machine; any other is asked of the directory behind it.
 * @param store has the sandbox's company, which can be suspended like any other
 */
export function withFixedKey(
  fixed: { companyId: string; apiKey: string },
  others: KeyDirectory,
  store: ItemReader,
): KeyDirectory {
  const hash = hashApiKey(fixed.apiKey);
  // Another key has another id, so that a token obtained with one is worth nothing after a start with the other.
  const keyId = `sandbox-${hash.slice(0, FIXED_KEY_ID_LETTERS)}`;
  const { companyId } = fixed;
  const isFixed = (company: string, id: string) => company === companyId && id === keyId;

  async function prove(): Promise<Principal> {
    await requireActive();
    return { companyId, keyId, scopes: SCOPES };
  }

  /** @returns the company, if the store has it: it is made when the sandbox starts */
  async function requireActive(detail?: string): Promise<FoundCompany | undefined> {
    const found = await findCompany(store, companyId);
    if (found?.record.state === 'suspended') throw new Unauthenticated('suspended', { companyId, keyId }, detail);
    return found;
  }

  async function guard(): Promise<Write | undefined> {
    const found = await requireActive(INACTIVE);
    return found && checkCompany(companyId, found);
  }

  return {
    byApiKey: (company, apiKey) =>
      company === companyId && matchesHash(apiKey, hash) ? prove() : others.byApiKey(company, apiKey),
    byApiKeyAlone: (apiKey) => (matchesHash(apiKey, hash) ? prove() : others.byApiKeyAlone(apiKey)),
    byKeyId: (company, id) => (isFixed(company, id) ? prove() : others.byKeyId(company, id)),
    guard: (company, id) => (isFixed(company, id) ? guard() : others.guard(company, id)),
    companyGuard: others.companyGuard,
  };
}
