import type { Refusal } from '../contract/credentials.ts';
import { UNAUTHENTICATED_DETAIL, WWW_AUTHENTICATE } from '../contract/gateway-responses.ts';
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

/** The problem for missing or wrong credentials. The reason and the ids go only into the log, not into the response. */
export class Unauthenticated extends Problem {
  readonly refusal: Refusal;
  readonly ids: CredentialIds;

  constructor(refusal: Refusal, { companyId, keyId, familyId }: CredentialIds = {}, detail = UNAUTHENTICATED_DETAIL) {
    super('unauthenticated', { detail, wwwAuthenticate: WWW_AUTHENTICATE });
    this.refusal = refusal;
    this.ids = { companyId, keyId, familyId };
  }
}
