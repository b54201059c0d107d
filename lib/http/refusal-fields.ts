import type { AuthDeps } from '../credentials/authenticate.ts';
import { senderHash } from '../credentials/sender-hash.ts';
import type { Unauthenticated } from '../credentials/unauthenticated.ts';
import type { LogLine } from '../service/log.ts';

/** What a log line says of refused credentials. */
export type RefusalFields = Pick<LogLine, 'companyId' | 'keyId' | 'familyId' | 'refusal' | 'senderHash'>;

/** Why credentials were refused, whose they are as far as it is known, and who sent them. */
export async function refusalFields(
  { refusal, ids }: Unauthenticated,
  address: string | undefined,
  authentication: Pick<AuthDeps, 'signingKeys' | 'now'>,
): Promise<RefusalFields> {
  return { ...ids, refusal, senderHash: address && (await hashOf(address, authentication)) };
}

/** @returns `undefined` if the key cannot be read now: the refusal stands, and is logged without it */
async function hashOf(
  address: string,
  { signingKeys, now }: Pick<AuthDeps, 'signingKeys' | 'now'>,
): Promise<string | undefined> {
  try {
    return senderHash(address, await signingKeys(), now());
  } catch {
    return undefined;
  }
}
