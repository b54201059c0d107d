import { createHash } from 'node:crypto';

/** A company at one API. An AWS account may have several APIs. */
export interface UsagePlanMember {
  readonly apiId: string;
  readonly companyId: string;
}

/** The name of the API Gateway key by which a usage plan counts a company's requests. */
export function usagePlanKeyName({ apiId, companyId }: UsagePlanMember): string {
  return `segue/${apiId}/${companyId}`;
}

/**
 * The value of that key. It is unique in the account and region, and has 64 hex characters: API Gateway takes 20 to 128. It is
 * no credential: sending it proves nothing.
 */
export function usagePlanKeyValue(member: UsagePlanMember): string {
  return createHash('sha256').update(usagePlanKeyName(member)).digest('hex');
}
