import type { Refusal } from '../contract/basic-credentials.ts';
import { companySuspended } from '../contract/failures.ts';
import { unauthenticatedDetail, WWW_AUTHENTICATE } from '../contract/gateway-responses.ts';
import { Problem } from '../contract/problem.ts';

/**
 * The ids of the company, the API key and the token family in rejected credentials. An id is set only if it is in the
 * store, or in a token that Segue has signed.
 */
export interface CredentialIds {
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly familyId?: string | undefined;
}

/**
 * The problem for credentials that Segue does not accept: `company-suspended` for valid ones of a suspended company, and
 * otherwise `unauthenticated`. The reason and the ids go only into the log, not into the response.
 */
export class CredentialsRefused extends Problem {
  readonly refusal: Refusal;
  readonly ids: CredentialIds;

  constructor(
    refusal: Refusal,
    { companyId, keyId, familyId }: CredentialIds = {},
    detail = unauthenticatedDetail(refusal),
  ) {
    if (refusal === 'suspended') super('company-suspended', companySuspended().occurrence);
    else super('unauthenticated', { detail, wwwAuthenticate: WWW_AUTHENTICATE });
    this.refusal = refusal;
    this.ids = { companyId, keyId, familyId };
  }
}
