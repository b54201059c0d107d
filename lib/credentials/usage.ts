import { createHash } from 'node:crypto';

/**
 * The key by which API Gateway counts a company's requests against its usage plan: 64 hex characters, of 20 to 128 that
 * it takes. It is no credential: whoever sends it is nobody.
 */
export function usageKeyOf(companyId: string): string {
  return createHash('sha256').update(`segue/${companyId}`).digest('hex');
}
