import type { AuthDeps } from '../credentials/authenticate.ts';
import type { CredentialsRefused } from '../credentials/credentials-refused.ts';
import { senderHash } from '../credentials/sender-hash.ts';
import type { LogLine } from '../service/log.ts';

/** The log fields of a request whose credentials were rejected. */
export type RefusalFields = Pick<LogLine, 'companyId' | 'keyId' | 'familyId' | 'refusal' | 'senderHash'>;

/**
 * Returns the log fields for rejected credentials: the reason, the known ids, and a hash of the sender's address.
 * @param address the sender's address
 */
export async function refusalFields(
  { refusal, ids }: CredentialsRefused,
  address: string | undefined,
  { signingKeys, now }: Pick<AuthDeps, 'signingKeys' | 'now'>,
): Promise<RefusalFields> {
  // If the signing keys cannot be read, the line has no hash.
  const keys = await signingKeys().catch(() => undefined);
  return { ...ids, refusal, senderHash: address && keys && senderHash(address, keys, now()) };
}
