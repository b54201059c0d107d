import { UNAUTHENTICATED_DETAIL, WWW_AUTHENTICATE } from '../contract/gateway-responses.ts';
import { Problem } from '../contract/problem.ts';
import type { Refusal } from '../contract/refusals.ts';

/** Whose credentials were refused, as far as it is known. An id that was not found is not known. */
export interface Refused {
  readonly companyId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly familyId?: string | undefined;
}

/** Credentials were refused. The answer does not say why. */
export class Unauthenticated extends Problem {
  readonly refusal: Refusal;
  readonly refused: Refused;

  constructor(refusal: Refusal, { companyId, keyId, familyId }: Refused = {}, detail = UNAUTHENTICATED_DETAIL) {
    super('unauthenticated', { detail, wwwAuthenticate: WWW_AUTHENTICATE });
    this.refusal = refusal;
    this.refused = { companyId, keyId, familyId };
  }
}
