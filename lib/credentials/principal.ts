import type { Scope } from '../contract/routes.ts';

/** Who a request comes from, as its credentials prove it. */
export interface Principal {
  readonly companyId: string;
  readonly keyId: string;
  /** The version of the key's record by which it was proved; absent for a key that is never revoked. */
  readonly keyVersion?: number;
  readonly scopes: readonly Scope[];
}
