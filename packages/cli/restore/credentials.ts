import { isDeepStrictEqual } from 'node:util';
import { type Companies, type CompanyKey, companiesIn } from '../../../lib/credentials/companies.ts';
import { type CompanyState, companyIdsIn } from '../../../lib/credentials/company-record.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';

/** An API key of a company. */
export interface CompanyKeyRef {
  readonly companyId: string;
  readonly keyId: string;
}

/** Until when and from where a key may be used; `null` for no limit. */
interface LimitsOfKey {
  readonly expiresAtUtc: string | null;
  readonly networks: readonly string[] | null;
}

/** How the credentials of a restored table differ from those of the lost one. */
export interface CredentialChanges {
  /** Keys that were revoked after the time of the restored table. They are revoked again. */
  readonly revoked: readonly CompanyKeyRef[];
  /** Companies that were suspended or resumed after that time, with their later state. They get it again. */
  readonly states: readonly { readonly companyId: string; readonly state: CompanyState }[];
  /** Keys whose expiry or networks were changed after that time. They get their later limits again. */
  readonly limited: readonly (CompanyKeyRef & LimitsOfKey)[];
  /** Active keys that were added after that time. They are lost. */
  readonly lostKeys: readonly CompanyKeyRef[];
}

/** The credentials of a stack after a restore. */
export interface RestoredCredentials extends CredentialChanges {
  /** Active keys that may have been revoked after the time of the restored table, because the lost one is gone. */
  readonly uncheckedKeys: readonly CompanyKeyRef[];
  readonly companyIds: {
    /** The companies that the stack has. */
    readonly restored: readonly string[];
    /** These, and the companies that only the lost table has. */
    readonly all: readonly string[];
  };
}

const NOTHING: CredentialChanges = { revoked: [], states: [], limited: [], lostKeys: [] };

interface CredentialStores {
  readonly restored: ListedStore;
  /** The store from which the other one was restored; absent if it is gone, or if nothing was restored. */
  readonly lost: { readonly store: ListedStore } | undefined;
  /** Whether nobody knows which keys were revoked meanwhile. */
  readonly isUnchecked: boolean;
}

/** Repeats the revocations, suspensions and limits that restored credentials do not know of. */
export async function restoreCredentials(
  { restored, lost, isUnchecked }: CredentialStores,
  { isDryRun, now }: { readonly isDryRun: boolean; readonly now: () => number },
): Promise<RestoredCredentials> {
  const after = companiesIn(restored, now);
  const changes = lost ? await compareCredentials(companiesIn(lost.store, now), after) : NOTHING;
  if (!isDryRun) await applyCredentials(after, changes);
  const ids = await Array.fromAsync(companyIdsIn(restored));
  const idsBefore = lost ? await Array.fromAsync(companyIdsIn(lost.store)) : [];
  return {
    ...changes,
    uncheckedKeys: isUnchecked ? await activeKeysIn(after) : [],
    companyIds: { restored: ids, all: [...new Set([...ids, ...idsBefore])] },
  };
}

/** Compares the credentials of a restored table with those of the lost one. */
async function compareCredentials(lost: Companies, restored: Companies): Promise<CredentialChanges> {
  const found = new Map(await Array.fromAsync(restored.list(), (company) => [company.companyId, company]));
  const revoked: CompanyKeyRef[] = [];
  const states: { companyId: string; state: CompanyState }[] = [];
  const limited: (CompanyKeyRef & LimitsOfKey)[] = [];
  const lostKeys: CompanyKeyRef[] = [];
  for await (const { companyId, state, keys } of lost.list()) {
    const company = found.get(companyId);
    if (company && company.state !== state) states.push({ companyId, state });
    for (const key of keys) {
      const ref = { companyId, keyId: key.keyId };
      const restoredKey = company?.keys.find(({ keyId }) => keyId === key.keyId);
      if (key.state === 'revoked') {
        if (restoredKey && restoredKey.state !== 'revoked') revoked.push(ref);
      } else if (!restoredKey) {
        lostKeys.push(ref);
      } else if (!isDeepStrictEqual(limitsOf(restoredKey), limitsOf(key))) {
        limited.push({ ...ref, ...limitsOf(key) });
      }
    }
  }
  return { revoked, states, limited, lostKeys };
}

function limitsOf({ expiresAtUtc, networks }: CompanyKey): LimitsOfKey {
  return { expiresAtUtc: expiresAtUtc ?? null, networks: networks ?? null };
}

/** Repeats revocations, suspensions and limits in a restored table. */
async function applyCredentials(restored: Companies, changes: CredentialChanges): Promise<void> {
  for (const { keyId } of changes.revoked) await restored.revoke(keyId);
  for (const { keyId, expiresAtUtc, networks } of changes.limited) {
    await restored.limit(keyId, { expiresAtUtc, networks });
  }
  for (const { companyId, state } of changes.states) await restored.setState(companyId, state);
}

/** Returns the keys of all companies that are not revoked. */
async function activeKeysIn(companies: Companies): Promise<CompanyKeyRef[]> {
  const keys: CompanyKeyRef[] = [];
  for await (const { companyId, keys: ofCompany } of companies.list()) {
    keys.push(...ofCompany.filter(({ state }) => state !== 'revoked').map(({ keyId }) => ({ companyId, keyId })));
  }
  return keys;
}
