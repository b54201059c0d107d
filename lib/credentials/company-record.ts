import * as z from 'zod/mini';
import { companyNotFound, companySuspended } from '../contract/failures.ts';
import { SEGUE } from '../contract/segue-command.ts';
import {
  CREDENTIALS,
  eachItem,
  type ItemReader,
  type ItemStore,
  type Key,
  type ListedStore,
  type Write,
} from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { checkGuard, findGuard, guardWrites } from './guards.ts';

/** The states of a company. Segue refuses the requests of a suspended company until the company is resumed. */
export const COMPANY_STATES = ['active', 'suspended'] as const;
export type CompanyState = (typeof COMPANY_STATES)[number];

/** The schema of what a company may do in a day (UTC). An absent limit is none. */
const DailyLimits = recordOf(() => ({
  /** How many projects the company may create. */
  projects: z.optional(z.int()),
  /** How many characters an engine may translate for the company. */
  automaticCharacters: z.optional(z.int()),
}));
export type DailyLimits = Readonly<z.infer<typeof DailyLimits>>;

/** The record of a company. A company without a record does not exist. */
export const CompanyRecord = recordOf(() => ({
  state: z.enum(COMPANY_STATES),
  /** The ids of the keys that are not revoked, the newest first. */
  activeKeyIds: z.array(z.string()),
  suspendedAtUtc: z.optional(z.string()),
  /** Absent if there are none. */
  limits: z.optional(DailyLimits),
}));
export type CompanyRecord = z.infer<typeof CompanyRecord>;

export const NEW_COMPANY: CompanyRecord = { state: 'active', activeKeyIds: [] };

/** The record of a company, and the version of the record when it was read. */
export interface FoundCompany {
  readonly record: CompanyRecord;
  readonly version: number;
}

/** The partition that lists all companies. The sort key of an item is the id of a company. */
const COMPANIES = `${CREDENTIALS}companies`;

/** Returns the partition of a company's record and of the list of its API keys. */
export function companyCredentials(companyId: string): string {
  return `${CREDENTIALS}company/${companyId}`;
}

/** Returns the storage key of a company's record. */
export function companyKey(companyId: string): Key {
  return { partition: companyCredentials(companyId), sort: 'company' };
}

/** Reads the record of a company. Returns `undefined` if the company does not exist. */
export async function findCompany(store: ItemReader, companyId: string): Promise<FoundCompany | undefined> {
  const item = await store.read(companyKey(companyId));
  return item && { record: CompanyRecord.parse(item.data), version: item.version };
}

/**
 * Creates the writes that change a company's record and its guards. For a new company, they also add it to the list of
 * companies.
 */
export function writeCompany(companyId: string, before: FoundCompany | undefined, data: CompanyRecord): Write[] {
  const key = companyKey(companyId);
  const guards = guardWrites({ kind: 'company', id: companyId }, before?.version, { state: data.state });
  if (before) return [{ kind: 'replace', key, version: before.version, data }, ...guards];
  return [
    { kind: 'insert', key, data },
    { kind: 'insert', key: { partition: COMPANIES, sort: companyId }, data: {} },
    ...guards,
  ];
}

/** Yields the ids of all companies. */
export async function* companyIdsIn(store: ListedStore): AsyncGenerator<string> {
  for await (const { sort } of eachItem(store, COMPANIES, '')) yield sort;
}

/** Adds a company without a key, if the company does not exist. */
export async function registerCompany(store: ItemStore, companyId: string): Promise<void> {
  if (await companyExists(store, companyId)) return;
  await store.commit({ writes: writeCompany(companyId, undefined, NEW_COMPANY), usesReserve: true });
}

/** Checks whether a company exists. The command `company add` creates it, or the first `npm start` with its id. */
export async function companyExists(store: ItemReader, companyId: string): Promise<boolean> {
  return (await store.read(companyKey(companyId))) !== undefined;
}

/** The message for a command with the id of a suspended company. */
export const COMPANY_SUSPENDED = `the company is suspended: run ${SEGUE} company resume first`;

/**
 * Checks that a company may use Segue. Returns its limits, if it has any.
 * @throws {Problem} `company-not-found` or `company-suspended`
 */
export type RequireCompany = (companyId: string) => Promise<DailyLimits | undefined>;

/**
 * Creates a check that refuses a missing or suspended company. It is for workflows and webhook sources, which have no
 * API key.
 */
export function requireActiveCompany(store: () => ItemReader): RequireCompany {
  return async (companyId) => {
    const found = await findCompany(store(), companyId);
    if (!found) throw companyNotFound();
    if (found.record.state === 'suspended') throw companySuspended();
    return found.record.limits;
  };
}

/**
 * Creates a check that refuses a suspended company, but accepts a missing one. It is for `bulk --validate-only` on this
 * machine, which changes nothing and may run before `npm start` has registered the sandbox company.
 */
export function refuseSuspendedCompany(store: () => ItemReader): RequireCompany {
  return async (companyId) => {
    const record = (await findCompany(store(), companyId))?.record;
    if (record?.state === 'suspended') throw companySuspended();
    return record?.limits;
  };
}

/**
 * Creates a check for a commit: the commit fails unless the company is still active. Returns `undefined` if the company
 * does not exist. Only `refuseSuspendedCompany` meets this case, and it commits nothing. For other callers,
 * `requireActiveCompany` has refused a missing company before, and no command removes a company.
 * @param requestId selects the guard to check
 * @throws {Problem} `company-suspended` if the company is suspended already
 */
export async function guardCompany(
  store: ItemReader,
  companyId: string,
  requestId: string,
): Promise<Write | undefined> {
  const guarded = { kind: 'company', id: companyId } as const;
  const guard = await findGuard(store, guarded, requestId);
  if (guard && guard.state !== 'active') throw companySuspended();
  return guard && checkGuard(guarded, requestId, guard.version);
}
