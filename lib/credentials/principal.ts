import type { Scope } from '../contract/routes.ts';

/** Who a request comes from, as its credentials prove it. */
export interface Principal {
  readonly companyId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
}
