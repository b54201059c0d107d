import { checkKey, type KeyDirectory } from '../../lib/credentials/keys.ts';
import type { Guard } from '../../lib/records/guard.ts';

/** What holds a deletion to its key. A workflow proves itself by IAM, and has none. */
export function keyGuard(keys: KeyDirectory): Guard {
  return {
    presume: ({ companyId, keyId, keyVersion }) =>
      keyId === undefined || keyVersion === undefined ? undefined : checkKey(companyId, keyId, keyVersion),
    require: async ({ companyId, keyId }) => (keyId === undefined ? undefined : keys.guard(companyId, keyId)),
  };
}
