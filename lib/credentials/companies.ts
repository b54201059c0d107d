import { COMPANY_ID } from '../contract/company-id.ts';
import { SCOPES, type Scope } from '../contract/routes.ts';
import type { Item, Storage, Write } from '../storage/port.ts';
import { hashApiKey } from './api-key.ts';
import {
  COMPANIES,
  COMPANY,
  type CompanyRecord,
  type CompanyState,
  companyExists,
  findCompany,
  NEW_COMPANY,
  registerCompany,
  writeCompany,
} from './company-record.ts';
import { KeyOwner, KeyRecord, keyOwnerKey, keyRecordKey } from './key-directory.ts';

/** Two, so that a rotation has no gap. */
const MAX_ACTIVE_KEYS = 2;

/** A new API key that is not stored yet. Repeating a call with the same key changes nothing more. */
export interface NewKey {
  readonly keyId: string;
  readonly apiKey: string;
}

/** An API key in the list of companies. */
export interface CompanyKey extends Omit<KeyRecord, 'hash'> {
  readonly keyId: string;
}

/** A company with its API keys, the newest first. */
export interface Company {
  readonly companyId: string;
  readonly state: CompanyState;
  readonly suspendedAtUtc?: string | undefined;
  readonly keys: readonly CompanyKey[];
}

/** A command cannot be done. The message is for the operator, and repeats nothing that may be a key. */
export class CompanyRefusal extends Error {
  override readonly name = 'CompanyRefusal';
}

/** The companies that may use Segue. Every method may fail with the problem `unavailable`. */
export interface Companies {
  /**
   * Gives a company without an active key one: a new company, or one whose keys were all revoked.
   * @returns the state of the company and of the key
   * @throws {CompanyRefusal} if the company has an active key or its id is invalid
   */
  add(companyId: string, key: NewKey, scopes?: readonly Scope[]): Promise<CompanyState>;
  /**
   * Gives a company a second key, with the scopes of its newest key unless others are given. The first key stays active.
   * @throws {CompanyRefusal} if the company has no active key, or two
   */
  rotate(companyId: string, key: NewKey, scopes?: readonly Scope[]): Promise<CompanyState>;
  /**
   * Revokes a key for good. Repeating this changes nothing.
   * @throws {CompanyRefusal} if no company has the key
   */
  revoke(
    keyId: string,
  ): Promise<{ readonly companyId: string; readonly state: CompanyState; readonly activeKeys: number }>;
  /** Adds a company without a key, if it does not exist. */
  register(companyId: string): Promise<void>;
  /** Whether a company exists, with or without an active key. */
  exists(companyId: string): Promise<boolean>;
  /** The state of a company; `active` if it does not exist. */
  stateOf(companyId: string): Promise<CompanyState>;
  /**
   * Suspends or resumes a company together with its keys. Repeating this changes nothing.
   * @throws {CompanyRefusal} if the company does not exist
   */
  setState(companyId: string, state: CompanyState): Promise<'changed' | 'unchanged'>;
  /** All companies, in descending order of their ids. */
  list(): AsyncIterable<Company>;
}

const PAGE = { limit: 100, maxBytes: 1_000_000 } as const;

/** The methods of a store that companies need. */
export type CompanyStore = Pick<Storage, 'read' | 'commit' | 'list'>;

/** The companies in a store. The company's record changes with each of its keys, so that two changes at once cannot both happen. */
export function companiesIn(storage: CompanyStore, now: () => number): Companies {
  /** @param scopesFor returns the scopes of the new key, or throws if the company may not get one */
  async function issue(
    companyId: string,
    { keyId, apiKey }: NewKey,
    scopesFor: (activeKeyIds: readonly string[]) => Promise<readonly Scope[]>,
  ): Promise<CompanyState> {
    const hash = hashApiKey(apiKey);
    for (;;) {
      const before = await storage.read(keyRecordKey(companyId, keyId));
      const found = await findCompany(storage, companyId);
      const company = found?.record ?? NEW_COMPANY;
      const { state, activeKeyIds } = company;
      if (before && KeyRecord.parse(before.data).hash === hash) return state;
      const scopes = await scopesFor(activeKeyIds);
      const record: KeyRecord = { hash, scopes: [...scopes], state, createdAtUtc: utcNow() };
      const writes: Write[] = [
        ...writeCompany(companyId, found, { ...company, activeKeyIds: [keyId, ...activeKeyIds] }),
        { kind: 'insert', key: keyRecordKey(companyId, keyId), data: record },
        { kind: 'insert', key: keyOwnerKey(keyId), data: { companyId } },
      ];
      if ((await storage.commit({ writes })).ok) return state;
    }
  }

  /** Suspends or resumes the keys that are not revoked, because a deletion checks only the record of its key. */
  async function keysInState(companyId: string, keyIds: readonly string[], state: CompanyState): Promise<Write[]> {
    const writes: Write[] = [];
    for (const keyId of keyIds) {
      const item = await storage.read(keyRecordKey(companyId, keyId));
      if (!item) continue;
      const data: KeyRecord = { ...KeyRecord.parse(item.data), state };
      writes.push({ kind: 'replace', key: keyRecordKey(companyId, keyId), version: item.version, data });
    }
    return writes;
  }

  async function scopesOf(companyId: string, keyId: string): Promise<readonly Scope[]> {
    const item = await storage.read(keyRecordKey(companyId, keyId));
    return item ? KeyRecord.parse(item.data).scopes : [];
  }

  async function keysOf(companyId: string): Promise<CompanyKey[]> {
    const { partition, sort: prefix } = keyRecordKey(companyId, '');
    const keys: CompanyKey[] = [];
    for await (const { sort, data } of itemsOf(partition, prefix)) {
      const { hash: _, ...record } = KeyRecord.parse(data);
      keys.push({ keyId: sort.slice(prefix.length), ...record });
    }
    return keys.sort((one, other) => (one.createdAtUtc < other.createdAtUtc ? 1 : -1));
  }

  async function* itemsOf(partition: string, prefix: string): AsyncGenerator<Item> {
    for (let before: string | undefined; ; ) {
      const { items, more } = await storage.list(partition, { prefix, before, ...PAGE });
      yield* items;
      before = items.at(-1)?.sort;
      if (!more) return;
    }
  }

  function utcNow(): string {
    return new Date(now()).toISOString();
  }

  return {
    add: async (companyId, key, scopes = SCOPES) =>
      issue(requireCompanyId(companyId), key, async ({ length }) => {
        if (length === 0) return scopes;
        throw new CompanyRefusal('the company has an active key: give it another one with company rotate');
      }),

    rotate: async (companyId, key, scopes) =>
      issue(requireCompanyId(companyId), key, async ({ length, 0: newest }) => {
        if (newest === undefined)
          throw new CompanyRefusal('no company with this id has an active key: use company add');
        if (length >= MAX_ACTIVE_KEYS) {
          throw new CompanyRefusal('the company has two active keys already: revoke one with company revoke');
        }
        return scopes ?? scopesOf(companyId, newest);
      }),

    async revoke(keyId) {
      for (;;) {
        const owner = await storage.read(keyOwnerKey(keyId));
        if (!owner) throw new CompanyRefusal('no company has a key with this id: company list shows them');
        const { companyId } = KeyOwner.parse(owner.data);
        const found = await findCompany(storage, companyId);
        const key = await storage.read(keyRecordKey(companyId, keyId));
        const company = found?.record ?? NEW_COMPANY;
        const { activeKeyIds } = company;
        const left = activeKeyIds.filter((id) => id !== keyId);
        if (!key || left.length === activeKeyIds.length)
          return { companyId, state: company.state, activeKeys: left.length };
        const record: KeyRecord = { ...KeyRecord.parse(key.data), state: 'revoked', revokedAtUtc: utcNow() };
        const writes: Write[] = [
          ...writeCompany(companyId, found, { ...company, activeKeyIds: left }),
          { kind: 'replace', key: keyRecordKey(companyId, keyId), version: key.version, data: record },
        ];
        if ((await storage.commit({ writes })).ok) return { companyId, state: company.state, activeKeys: left.length };
      }
    },

    register: (companyId) => registerCompany(storage, requireCompanyId(companyId)),

    exists: (companyId) => companyExists(storage, companyId),

    stateOf: async (companyId) => ((await findCompany(storage, companyId))?.record ?? NEW_COMPANY).state,

    async setState(companyId, state) {
      for (;;) {
        const found = await findCompany(storage, requireCompanyId(companyId));
        if (!found) throw new CompanyRefusal('no company has this id: company list shows them');
        if (found.record.state === state) return 'unchanged';
        const { activeKeyIds } = found.record;
        const company: CompanyRecord = {
          state,
          activeKeyIds,
          ...(state === 'suspended' && { suspendedAtUtc: utcNow() }),
        };
        const writes = [
          ...writeCompany(companyId, found, company),
          ...(await keysInState(companyId, activeKeyIds, state)),
        ];
        if ((await storage.commit({ writes })).ok) return 'changed';
      }
    },

    async *list() {
      for await (const { sort } of itemsOf(COMPANIES, COMPANY)) {
        const companyId = sort.slice(COMPANY.length);
        const { state, suspendedAtUtc } = (await findCompany(storage, companyId))?.record ?? NEW_COMPANY;
        yield { companyId, state, ...(suspendedAtUtc && { suspendedAtUtc }), keys: await keysOf(companyId) };
      }
    },
  };
}

function requireCompanyId(companyId: string): string {
  // Ids are shown and logged, and a part of a key is nearly as secret as the whole key.
  if (companyId.startsWith('seg_')) throw new CompanyRefusal('this is an API key or a part of one, not a company id');
  if (COMPANY_ID.test(companyId)) return companyId;
  throw new CompanyRefusal('a company id is 1 to 64 letters, digits, "_" and "-" of ASCII');
}
