import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import type { ItemReader, ItemStore, Key, Write } from '../storage/port.ts';

/** Every door refuses a suspended company until it is resumed. */
export const COMPANY_STATES = ['active', 'suspended'] as const;
export type CompanyState = (typeof COMPANY_STATES)[number];

/** The record of a company. A company exists if it has one. */
export const CompanyRecord = z.strictObject({
  state: z.enum(COMPANY_STATES),
  /** The ids of the keys that are not revoked, the newest first. */
  activeKeyIds: z.array(z.string()),
  suspendedAtUtc: z.optional(z.string()),
});
export type CompanyRecord = z.infer<typeof CompanyRecord>;

export const NEW_COMPANY: CompanyRecord = { state: 'active', activeKeyIds: [] };

/** A company as it was read. */
export interface FoundCompany {
  readonly record: CompanyRecord;
  readonly version: number;
}

/** The partition that lists all companies. */
export const COMPANIES = 'companies';
/** The beginning of a company's sort key in that partition. */
export const COMPANY = 'company/';

/** The storage key of a company's record. It is in the company's own partition, because many deletions check it at once. */
export function companyKey(companyId: string): Key {
  return { partition: `company/${companyId}`, sort: 'company' };
}

/** Reads a company. Returns `undefined` if it does not exist. */
export async function findCompany(store: ItemReader, companyId: string): Promise<FoundCompany | undefined> {
  const item = await store.read(companyKey(companyId));
  return item && { record: CompanyRecord.parse(item.data), version: item.version };
}

/** Makes the writes that change a company. A new company is also added to the list. */
export function writeCompany(companyId: string, before: FoundCompany | undefined, data: CompanyRecord): Write[] {
  const key = companyKey(companyId);
  if (before) return [{ kind: 'replace', key, version: before.version, data }];
  return [
    { kind: 'insert', key, data },
    { kind: 'insert', key: { partition: COMPANIES, sort: COMPANY + companyId }, data: {} },
  ];
}

/** Adds a company without a key, if it does not exist. */
export async function registerCompany(store: ItemStore, companyId: string): Promise<void> {
  if (await companyExists(store, companyId)) return;
  await store.commit({ writes: writeCompany(companyId, undefined, NEW_COMPANY) });
}

/** Whether a company exists: `company add` has created it, or `npm start` has run as it. */
export async function companyExists(store: ItemReader, companyId: string): Promise<boolean> {
  return (await store.read(companyKey(companyId))) !== undefined;
}

/** The message for a person who names a company that does not exist. It does not repeat the id, which may be a key. */
export const NO_SUCH_COMPANY =
  'no company has this id: add it with company add, or on this machine start Segue with SEGUE_COMPANY_ID set to it and with the same SEGUE_DATA_DIR';

/** The message for a person who names a suspended company. */
export const COMPANY_SUSPENDED = 'the company is suspended: run company resume first';

/** Refuses a company that may not use Segue. @throws {Problem} `company-not-found`, `company-suspended` */
export type RequireCompany = (companyId: string) => Promise<void>;

/** Refuses a missing or suspended company, for callers without a key: workflows and webhook sources. */
export function requireActiveCompany(store: () => ItemReader): RequireCompany {
  return async (companyId) => {
    const found = await findCompany(store(), companyId);
    if (!found) throw new Problem('company-not-found', { detail: 'No company has this id. Segue did nothing.' });
    if (found.record.state === 'suspended') throw suspended();
  };
}

/** Refuses only a suspended company, for a company that may still be added. */
export function refuseSuspendedCompany(store: () => ItemReader): RequireCompany {
  return async (companyId) => void (await guardCompany(store(), companyId));
}

/**
 * Makes a check that fails a batch unless the company is still active. Returns `undefined` if it does not exist: its door
 * refuses it.
 * @throws {Problem} `company-suspended`
 */
export async function guardCompany(store: ItemReader, companyId: string): Promise<Write | undefined> {
  const found = await findCompany(store, companyId);
  if (found?.record.state === 'suspended') throw suspended();
  return found && checkCompanyVersion(companyId, found);
}

/** Makes a check that fails a batch if the company has changed since it was read. */
export function checkCompanyVersion(companyId: string, { version }: FoundCompany): Write {
  return { kind: 'check', key: companyKey(companyId), version };
}

function suspended(): Problem {
  return new Problem('company-suspended', { detail: 'The company is suspended. Segue did nothing.' });
}
