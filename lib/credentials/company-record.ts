import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import type { ItemReader, ItemStore, Key, Write } from '../storage/port.ts';

/** A suspended company is refused at every door until it is resumed. */
export const COMPANY_STATES = ['active', 'suspended'] as const;
export type CompanyState = (typeof COMPANY_STATES)[number];

/** What the store keeps of a company beside its keys. A company exists if it has this record. */
export const CompanyRecord = z.strictObject({
  state: z.enum(COMPANY_STATES),
  /** Keys that were not revoked, the newest first. */
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

/** The partition that every company is listed in. */
export const COMPANIES = 'companies';
/** How the sort keys of companies begin. */
export const COMPANY = 'company/';

/** In the company's own partition, since many deletions check it at once. */
export function companyKey(companyId: string): Key {
  return { partition: `company/${companyId}`, sort: 'company' };
}

/** @returns `undefined` if the company does not exist */
export async function findCompany(store: ItemReader, companyId: string): Promise<FoundCompany | undefined> {
  const item = await store.read(companyKey(companyId));
  return item && { record: CompanyRecord.parse(item.data), version: item.version };
}

/** Changes a company. A new one is also entered in the list. */
export function writeCompany(companyId: string, before: FoundCompany | undefined, data: CompanyRecord): Write[] {
  const key = companyKey(companyId);
  if (before) return [{ kind: 'replace', key, version: before.version, data }];
  return [
    { kind: 'insert', key, data },
    { kind: 'insert', key: { partition: COMPANIES, sort: COMPANY + companyId }, data: {} },
  ];
}

/** What to tell a person who names a company that does not exist. It does not repeat the id, which may be a key. */
export const NO_SUCH_COMPANY =
  'no company has this id: add it with company add, or on this machine start Segue with SEGUE_COMPANY_ID set to it and with the same SEGUE_DATA_DIR';

/** What to tell a person who names a suspended company. */
export const COMPANY_SUSPENDED = 'the company is suspended: run company resume first';

/** Whether a company exists: `company add` has made it, or `npm start` has run as it. */
export async function companyExists(store: ItemReader, companyId: string): Promise<boolean> {
  return (await store.read(companyKey(companyId))) !== undefined;
}

/** Refuses a company that does not exist or is suspended. @throws {Problem} `company-not-found`, `company-suspended` */
export type RequireCompany = (companyId: string) => Promise<void>;

/** Checks the company of a caller that no key has proved: that of a workflow's definition, or of a webhook source. */
export function companyCheck(store: () => ItemReader): RequireCompany {
  return (companyId) => requireActive(store(), companyId);
}

/** The same check for a company that may still be added: refuses only a suspended one. */
export function suspensionCheck(store: () => ItemReader): RequireCompany {
  return async (companyId) => void (await companyGuard(store(), companyId));
}

/** Adds a company without a key, if it does not exist. */
export async function registerCompany(store: ItemStore, companyId: string): Promise<void> {
  if (await companyExists(store, companyId)) return;
  await store.commit({ writes: writeCompany(companyId, undefined, NEW_COMPANY) });
}

/** A check that fails a batch if the company has changed since it was read. */
export function checkCompany(companyId: string, { version }: FoundCompany): Write {
  return { kind: 'check', key: companyKey(companyId), version };
}

/**
 * A check that fails a batch unless the company is still active. `undefined` if it does not exist: its door refuses it.
 * @throws {Problem} `company-suspended`
 */
export async function companyGuard(store: ItemReader, companyId: string): Promise<Write | undefined> {
  const found = await findCompany(store, companyId);
  if (found?.record.state === 'suspended') throw suspended();
  return found && checkCompany(companyId, found);
}

function suspended(): Problem {
  return new Problem('company-suspended', { detail: 'The company is suspended, and nothing was done.' });
}

/** @throws {Problem} `company-not-found`, `company-suspended` */
async function requireActive(store: ItemReader, companyId: string): Promise<void> {
  const found = await findCompany(store, companyId);
  if (!found) throw new Problem('company-not-found', { detail: 'No company has this id, and nothing was done.' });
  if (found.record.state === 'suspended') throw suspended();
}
