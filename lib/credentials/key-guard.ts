import type { Guard } from '../idempotency/commit.ts';
import { checkKeyVersion, type KeyDirectory } from './key-directory.ts';

/**
 * Makes a deletion depend on its key: it commits only while the key is valid. Webhook sources and workflows have no key,
 * so their deletions depend on their company.
 */
export function keyGuard(keys: KeyDirectory): Guard {
  return {
    presume: ({ companyId, requestedBy: { kind, id }, keyVersion }) =>
      kind === 'key' && id !== null && keyVersion !== undefined
        ? checkKeyVersion(companyId, id, keyVersion)
        : undefined,
    require: ({ companyId, requestedBy: { kind, id } }) =>
      kind === 'key' && id !== null ? keys.guardKey(companyId, id) : keys.guardCompany(companyId),
  };
}
