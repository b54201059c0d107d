import type { Companies, Company } from '../../lib/credentials/companies.ts';
import type { CompanyState } from '../../lib/credentials/company-record.ts';

/** An API key of a company. */
export interface CompanyKeyRef {
  readonly companyId: string;
  readonly keyId: string;
}

/** How the credentials of a restored table differ from those of the lost one. */
export interface CredentialChanges {
  /** Keys that were revoked after the time of the restored table. They are revoked again. */
  readonly revoked: readonly CompanyKeyRef[];
  /** Companies that were suspended or resumed after that time, with their later state. They get it again. */
  readonly states: readonly { readonly companyId: string; readonly state: CompanyState }[];
  /** Active keys that were added after that time. They are lost. */
  readonly lostKeys: readonly CompanyKeyRef[];
}

/** Compares the credentials of a restored table with those of the lost one. */
export async function compareCredentials(lost: Companies, restored: Companies): Promise<CredentialChanges> {
  const found = new Map(await Array.fromAsync(restored.list(), (company) => [company.companyId, company]));
  const revoked: CompanyKeyRef[] = [];
  const states: { companyId: string; state: CompanyState }[] = [];
  const lostKeys: CompanyKeyRef[] = [];
  for await (const { companyId, state, keys } of lost.list()) {
    const company = found.get(companyId);
    if (company && company.state !== state) states.push({ companyId, state });
    for (const key of keys) {
      const restoredState = stateOf(company, key.keyId);
      const ref = { companyId, keyId: key.keyId };
      if (key.state === 'revoked' && restoredState !== undefined && restoredState !== 'revoked') revoked.push(ref);
      if (key.state !== 'revoked' && restoredState === undefined) lostKeys.push(ref);
    }
  }
  return { revoked, states, lostKeys };
}

function stateOf(company: Company | undefined, keyId: string) {
  return company?.keys.find((key) => key.keyId === keyId)?.state;
}

/** Repeats revocations and suspensions in a restored table. */
export async function applyCredentials(restored: Companies, { revoked, states }: CredentialChanges): Promise<void> {
  for (const { keyId } of revoked) await restored.revoke(keyId);
  for (const { companyId, state } of states) await restored.setState(companyId, state);
}

/** Returns the keys of all companies that are not revoked. */
export async function activeKeysIn(companies: Companies): Promise<CompanyKeyRef[]> {
  const keys: CompanyKeyRef[] = [];
  for await (const { companyId, keys: ofCompany } of companies.list()) {
    keys.push(...ofCompany.filter(({ state }) => state !== 'revoked').map(({ keyId }) => ({ companyId, keyId })));
  }
  return keys;
}
