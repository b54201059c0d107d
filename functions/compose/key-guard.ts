import { checkKeyVersion, type KeyDirectory } from '../../lib/credentials/key-directory.ts';
import type { Guard } from '../../lib/idempotency/commit.ts';

/** What holds a deletion to its key, or to its company: a webhook source and a workflow prove themselves without a key. */
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
