import { COMPANY_ID } from '../contract/basic-credentials.ts';
import { DEFAULT_SCOPES, type Scope } from '../contract/routes.ts';
import { SEGUE } from '../contract/segue-command.ts';
import { eachItem, type ListedStore, type Write } from '../storage/port.ts';
import { hashApiKey } from './api-key.ts';
import {
  type CompanyRecord,
  type CompanyState,
  companyCredentials,
  companyExists,
  companyIdsIn,
  type DailyLimits,
  type FoundCompany,
  findCompany,
  NEW_COMPANY,
  registerCompany,
  writeCompany,
} from './company-record.ts';
import { type FoundKey, KeyRecord, keyRecordKey, LISTED_KEY, writeKey } from './key-record.ts';
import { findLastUse } from './last-use.ts';

/** The maximum number of active keys of a company. With two keys, a rotation has no interruption. */
const MAX_ACTIVE_KEYS = 2;

/** A new API key that is not stored yet. Adding the same key again changes nothing. */
export interface NewKey {
  readonly keyId: string;
  readonly apiKey: string;
}

/** What a key may do, until when, and from where. */
export interface KeyLimits {
  readonly scopes: readonly Scope[];
  /** When the key expires, in ISO 8601. Default: never. */
  readonly expiresAtUtc?: string | undefined;
  /** The IP addresses and CIDR blocks from which the key may be used. Default: any. */
  readonly networks?: readonly string[] | undefined;
}

/** A change of a key's limits. `null` removes a limit, and an absent one stays. */
export interface LimitChange {
  readonly expiresAtUtc?: string | null | undefined;
  readonly networks?: readonly string[] | null | undefined;
}

/** An API key in the list of companies, without its hash. */
export interface CompanyKey extends Omit<KeyRecord, 'hash' | 'companyId' | 'state'> {
  readonly keyId: string;
  /** The state of the key: `revoked`, `expired`, or else the state of its company. */
  readonly state: KeyRecord['state'] | 'expired';
  /** The hour in which the key was last used, in ISO 8601; absent if it was never used. */
  readonly usedAtUtc?: string | undefined;
}

/** A change of a company's limits of a day. `null` removes a limit, and an absent one stays. */
export interface DailyLimitsChange {
  readonly projects?: number | null | undefined;
  readonly automaticCharacters?: number | null | undefined;
}

/** A company with its API keys, the newest first. */
export interface Company {
  readonly companyId: string;
  readonly state: CompanyState;
  readonly suspendedAtUtc?: string | undefined;
  /** What the company may do in a day; absent if there is no limit. */
  readonly limits?: DailyLimits | undefined;
  readonly keys: readonly CompanyKey[];
}

/**
 * The error for a company command that cannot be done. The message is for the operator, and contains no text that may
 * be a key.
 */
export class CompanyError extends Error {
  override readonly name = 'CompanyError';
}

/**
 * The commands that manage companies and their API keys. Every command throws the problem `unavailable` if the store
 * fails.
 */
export type Companies = ReturnType<typeof companiesIn>;

/**
 * Creates the commands that manage the companies in a store. A change of a key also changes the record of the company.
 * If two changes run at the same time, one commits and the other is repeated.
 */
export function companiesIn(storage: ListedStore, now: () => number) {
  async function readKey(keyId: string): Promise<FoundKey | undefined> {
    const item = await storage.read(keyRecordKey(keyId));
    return item && { record: KeyRecord.parse(item.data), version: item.version };
  }

  /** Reads keys that must exist. */
  async function readKeys(keyIds: readonly string[]) {
    const found = await Promise.all(keyIds.map(async (keyId) => ({ keyId, key: await readKey(keyId) })));
    return found.flatMap(({ keyId, key }) => (key ? [{ keyId, key }] : []));
  }

  /**
   * Adds a new key to a company.
   * @param limitsFor returns the limits of the new key, or throws if the company may not get another key
   */
  async function issue(
    companyId: string,
    { keyId, apiKey }: NewKey,
    limitsFor: (activeKeyIds: readonly string[]) => Promise<KeyLimits>,
  ): Promise<CompanyState> {
    const hash = hashApiKey(apiKey);
    for (;;) {
      const before = await readKey(keyId);
      const found = await findCompany(storage, companyId);
      const company = found?.record ?? NEW_COMPANY;
      const { state, activeKeyIds } = company;
      if (before?.record.hash === hash) return state;
      const { scopes, expiresAtUtc, networks } = await limitsFor(activeKeyIds);
      const record: KeyRecord = {
        companyId,
        hash,
        scopes: [...scopes],
        state,
        createdAtUtc: utcNow(),
        ...keyLimit(company.limits),
        ...(expiresAtUtc !== undefined && { expiresAtUtc }),
        ...(networks && { networks: [...networks] }),
      };
      const writes: Write[] = [
        ...writeCompany(companyId, found, { ...company, activeKeyIds: [keyId, ...activeKeyIds] }),
        ...writeKey(keyId, undefined, record),
      ];
      if ((await storage.commit({ writes })).ok) return state;
    }
  }

  async function requireExisting(companyId: string): Promise<FoundCompany> {
    const found = await findCompany(storage, requireCompanyId(companyId));
    if (found) return found;
    throw new CompanyError(`no company has this id: to see all companies, run ${SEGUE} company list`);
  }

  async function listKeys(companyId: string): Promise<CompanyKey[]> {
    const listed = eachItem(storage, companyCredentials(companyId), LISTED_KEY);
    const keyIds = await Array.fromAsync(listed, ({ sort }) => sort.slice(LISTED_KEY.length));
    const found = await readKeys(keyIds);
    const keys = await Promise.all(
      found.map(async ({ keyId, key }): Promise<CompanyKey> => {
        const { hash: _, companyId: __, ...record } = key.record;
        const usedAtUtc = await findLastUse(storage, keyId);
        return { keyId, ...record, state: shownState(record), ...(usedAtUtc !== undefined && { usedAtUtc }) };
      }),
    );
    return keys.sort((one, other) => (one.createdAtUtc < other.createdAtUtc ? 1 : -1));
  }

  function shownState({ state, expiresAtUtc }: Pick<KeyRecord, 'state' | 'expiresAtUtc'>): CompanyKey['state'] {
    const isExpired = expiresAtUtc !== undefined && Date.parse(expiresAtUtc) <= now();
    return isExpired && state !== 'revoked' ? 'expired' : state;
  }

  function utcNow(): string {
    return new Date(now()).toISOString();
  }

  return {
    /**
     * Adds a key to a company that has no active key: a new company, or a company whose keys are all revoked.
     * @returns the state of the company, which is also the state of the key
     * @throws {CompanyError} if the company has an active key or its id is invalid
     */
    add: async (companyId: string, key: NewKey, limits: Partial<KeyLimits> = {}) =>
      issue(requireCompanyId(companyId), key, async (keyIds) => {
        if (keyIds.length === 0) return { scopes: DEFAULT_SCOPES, ...limits };
        if (keyIds.length >= MAX_ACTIVE_KEYS) throw twoKeys(companyId, keyIds);
        const next = `${SEGUE} company rotate ${companyId}`;
        throw new CompanyError(
          `the company ${companyId} exists, with the key ${keyIds[0]}: to add a second key, run ${next}`,
        );
      }),

    /**
     * Adds a second key to a company. The first key stays active. The second key gets the scopes and networks of the
     * newest key, unless others are given.
     * @throws {CompanyError} if the company has no active key, or has two
     */
    rotate: async (companyId: string, key: NewKey, limits: Partial<KeyLimits> = {}) =>
      issue(requireCompanyId(companyId), key, async (keyIds) => {
        const [newest] = keyIds;
        if (newest === undefined)
          throw new CompanyError(`no company with this id has a key to rotate: to add a key, run ${SEGUE} company add`);
        if (keyIds.length >= MAX_ACTIVE_KEYS) throw twoKeys(companyId, keyIds);
        const { scopes = [], networks } = (await readKey(newest))?.record ?? {};
        return { scopes, networks, ...limits };
      }),

    /**
     * Changes until when and from where a key may be used. Deletions are judged by the new limits at once, other
     * requests within 30 seconds.
     * @returns the key with its new limits
     * @throws {CompanyError} if no company has the key, or if it is revoked
     */
    async limit(keyId: string, change: LimitChange): Promise<Omit<KeyRecord, 'hash'>> {
      for (;;) {
        const key = await readKey(keyId);
        if (!key) throw new CompanyError(NO_SUCH_KEY);
        if (key.record.state === 'revoked') throw new CompanyError('the key is revoked: it can never be used again');
        const { expiresAtUtc: expiry, networks: from, ...kept } = key.record;
        const { expiresAtUtc = expiry, networks = from } = change;
        const record: KeyRecord = {
          ...kept,
          ...(expiresAtUtc && { expiresAtUtc }),
          ...(networks && { networks: [...networks] }),
        };
        const writes = writeKey(keyId, key, record);
        if (!(await storage.commit({ writes, usesReserve: true })).ok) continue;
        const { hash: _, ...limited } = record;
        return limited;
      }
    },

    /**
     * Revokes a key permanently. Revoking it again changes nothing.
     * @throws {CompanyError} if no company has the key
     */
    async revoke(keyId: string) {
      for (;;) {
        const key = await readKey(keyId);
        if (!key) throw new CompanyError(NO_SUCH_KEY);
        const { companyId } = key.record;
        const found = await findCompany(storage, companyId);
        const company = found?.record ?? NEW_COMPANY;
        const { state, activeKeyIds } = company;
        const left = activeKeyIds.filter((id) => id !== keyId);
        const revoked = { companyId, state };
        if (left.length === activeKeyIds.length) return revoked;
        const writes: Write[] = [
          ...writeCompany(companyId, found, { ...company, activeKeyIds: left }),
          ...writeKey(keyId, key, { ...key.record, state: 'revoked', revokedAtUtc: utcNow() }),
        ];
        if ((await storage.commit({ writes, usesReserve: true })).ok) return revoked;
      }
    },

    /** Returns the keys of a company, the newest first. */
    keys: async (companyId: string) => listKeys(requireCompanyId(companyId)),

    /** Adds a company without a key, if the company does not exist. */
    register: (companyId: string) => registerCompany(storage, requireCompanyId(companyId)),

    /** Checks whether a company exists, with or without an active key. */
    exists: (companyId: string) => companyExists(storage, companyId),

    /** Returns the state of a company, or `active` if the company does not exist. */
    stateOf: async (companyId: string): Promise<CompanyState> =>
      ((await findCompany(storage, companyId))?.record ?? NEW_COMPANY).state,

    /**
     * Suspends or resumes a company together with its keys. Returns `unchanged` if the company has the state already.
     * @throws {CompanyError} if the company does not exist
     */
    async setState(companyId: string, state: CompanyState): Promise<'changed' | 'unchanged'> {
      for (;;) {
        const found = await requireExisting(companyId);
        if (found.record.state === state) return 'unchanged';
        const { suspendedAtUtc: _, ...kept } = found.record;
        const { activeKeyIds } = kept;
        // A deletion checks only the guard of its API key, so the records and guards of the keys change too.
        const keys = await readKeys(activeKeyIds);
        const company: CompanyRecord = {
          ...kept,
          state,
          ...(state === 'suspended' && { suspendedAtUtc: utcNow() }),
        };
        const writes = [
          ...writeCompany(companyId, found, company),
          ...keys.flatMap(({ keyId, key }) => writeKey(keyId, key, { ...key.record, state })),
        ];
        if ((await storage.commit({ writes, usesReserve: true })).ok) return 'changed';
      }
    },

    /**
     * Returns what a company may do in a day.
     * @throws {CompanyError} if the company does not exist
     */
    async limits(companyId: string): Promise<DailyLimits> {
      return (await requireExisting(companyId)).record.limits ?? {};
    },

    /**
     * Changes what a company may do in a day. Workflows and webhooks are judged by the new limits at once, HTTP requests
     * within 60 seconds.
     * @returns the new limits
     * @throws {CompanyError} if the company does not exist
     */
    async setLimits(companyId: string, change: DailyLimitsChange): Promise<DailyLimits> {
      for (;;) {
        const found = await requireExisting(companyId);
        const { limits: before = {}, ...kept } = found.record;
        const { projects = before.projects, automaticCharacters = before.automaticCharacters } = change;
        const limits: DailyLimits = {
          ...(typeof projects === 'number' && { projects }),
          ...(typeof automaticCharacters === 'number' && { automaticCharacters }),
        };
        // HTTP requests know the limit from the record of their key, which is read anyway.
        const keys = await readKeys(kept.activeKeyIds);
        const company: CompanyRecord = { ...kept, ...(Object.keys(limits).length > 0 && { limits }) };
        const writes = [
          ...writeCompany(companyId, found, company),
          ...keys.flatMap(({ keyId, key }) => {
            const { projectsADay: _, ...record } = key.record;
            return writeKey(keyId, key, { ...record, ...keyLimit(limits) });
          }),
        ];
        if ((await storage.commit({ writes, usesReserve: true })).ok) return limits;
      }
    },

    /** Lists all companies with their keys, in descending order of the company ids. */
    async *list(): AsyncGenerator<Company> {
      for await (const companyId of companyIdsIn(storage)) {
        const { state, suspendedAtUtc, limits } = (await findCompany(storage, companyId))?.record ?? NEW_COMPANY;
        const optional = { ...(suspendedAtUtc && { suspendedAtUtc }), ...(limits && { limits }) };
        yield { companyId, state, ...optional, keys: await listKeys(companyId) };
      }
    },
  };
}

/** Returns the part of a company's limits that the records of its keys have too. */
function keyLimit({ projects }: DailyLimits = {}): Pick<KeyRecord, 'projectsADay'> {
  return projects === undefined ? {} : { projectsADay: projects };
}

function twoKeys(companyId: string, keyIds: readonly string[]): CompanyError {
  return new CompanyError(
    `the company ${companyId} has two keys, ${keyIds.join(' and ')}, and cannot have a third: to end one, run ${SEGUE} company revoke <key id>`,
  );
}

const NO_SUCH_KEY = `no company has a key with this id: to see all keys, run ${SEGUE} company list`;

function requireCompanyId(companyId: string): string {
  // Company ids are shown and logged. Refuse an API key, or a part of one, that is entered by mistake.
  if (companyId.startsWith('seg_')) throw new CompanyError('this is an API key or a part of one, not a company id');
  if (COMPANY_ID.test(companyId)) return companyId;
  throw new CompanyError('the company id is invalid: use 1 to 64 ASCII letters, digits, "_" or "-"');
}
