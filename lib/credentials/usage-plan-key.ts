import { createHash } from 'node:crypto';

/** A company and an API that it may call. An AWS account may have several APIs. */
export interface UsagePlanMember {
  readonly apiId: string;
  readonly companyId: string;
}

/** Returns the name of the API Gateway key by which a usage plan counts a company's requests. */
export function usagePlanKeyName({ apiId, companyId }: UsagePlanMember): string {
  return `segue/${apiId}/${companyId}`;
}

/**
 * Returns the value of a company's API Gateway key: 64 hex characters. API Gateway accepts 20 to 128. The value is
 * unique in the AWS account and region. It is not a credential: a request that sends it proves nothing.
 */
export function usagePlanKeyValue(member: UsagePlanMember): string {
  return createHash('sha256').update(usagePlanKeyName(member)).digest('hex');
}
