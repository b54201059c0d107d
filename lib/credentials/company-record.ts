import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import type { Item, ItemReader, ItemStore, Key } from '../storage/port.ts';
import { COMPANIES } from './keys.ts';

/** What the store keeps of a company beside its keys. A company exists if it has this record. */
export const CompanyRecord = z.strictObject({
  /** The newest first. */
  activeKeyIds: z.array(z.string()),
});
export type CompanyRecord = z.infer<typeof CompanyRecord>;

/** How the sort keys of companies begin. */
export const COMPANY = 'company/';

export function companyKey(companyId: string): Key {
  return { partition: COMPANIES, sort: COMPANY + companyId };
}

/** The record in an item; that of a new company if there is no item. */
export function readCompany(item: Item | undefined): CompanyRecord {
  return item ? CompanyRecord.parse(item.data) : { activeKeyIds: [] };
}

/** What to tell a person who names a company that does not exist. It does not repeat the id, which may be a key. */
export const NO_SUCH_COMPANY =
  'no company has this id: add it with company add, or on this machine start Segue with SEGUE_COMPANY_ID set to it and with the same SEGUE_DATA_DIR';

/** Whether a company exists: `company add` has made it, or `npm start` has run as it. */
export async function companyExists(store: ItemReader, companyId: string): Promise<boolean> {
  return (await store.read(companyKey(companyId))) !== undefined;
}

/** Refuses a company that does not exist. @throws {Problem} `company-not-found` */
export type RequireCompany = (companyId: string) => Promise<void>;

/** Checks the company of a workflow, which a definition names: no credentials have proved that it exists. */
export function companyCheck(store: () => ItemReader): RequireCompany {
  return async (companyId) => {
    if (await companyExists(store(), companyId)) return;
    throw new Problem('company-not-found', { detail: 'No company has this id, and nothing was done.' });
  };
}

/** Adds a company without a key, if it does not exist. */
export async function registerCompany(store: ItemStore, companyId: string): Promise<void> {
  if (await companyExists(store, companyId)) return;
  await store.commit({ writes: [{ kind: 'insert', key: companyKey(companyId), data: readCompany(undefined) }] });
}
