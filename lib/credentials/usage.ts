import { createHash } from 'node:crypto';

/** Where a company's requests are counted. */
export interface Usage {
  /** The id of the API, of which an account may have several. */
  readonly apiId: string;
  readonly companyId: string;
}

/** What the key is called by which API Gateway counts a company's requests against the usage plan of an API. */
export function usageKeyName({ apiId, companyId }: Usage): string {
  return `segue/${apiId}/${companyId}`;
}

/**
 * The value of that key, which no other of account and region may have: 64 hex characters, of 20 to 128 that API Gateway
 * takes. It is no credential: whoever sends it is nobody.
 */
export function usageKeyOf(usage: Usage): string {
  return createHash('sha256').update(usageKeyName(usage)).digest('hex');
}
