import type { AuthDeps } from '../credentials/authenticate.ts';
import type { TokenPair } from '../credentials/token-pair.ts';
import { Unauthenticated } from '../credentials/unauthenticated.ts';
import type { Log } from '../service/log.ts';
import { refusalFields } from './refusal-fields.ts';
import type { HttpRequest } from './request.ts';

/** The line that an alarm counts: somebody has a refresh token who should not. */
const REUSED = 'refreshTokenReused';

/**
 * Signs in or refreshes, and tells the log whose tokens they are, or why there are none.
 * @param refusedDetail names what the operation accepts: it accepts less than the operations that need a token
 * @throws {Unauthenticated}
 */
export async function signIn(
  request: HttpRequest,
  authentication: AuthDeps,
  log: Log,
  refusedDetail: string,
  issue: () => Promise<TokenPair>,
): Promise<TokenPair> {
  try {
    const issuance = await issue();
    const { companyId, keyId, familyId } = issuance.subject;
    request.known = { companyId, keyId, familyId };
    return issuance;
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    const fields = await refusalFields(error, request.address, authentication);
    request.known = fields;
    if (error.refusal === 'reused-token') {
      const { companyId, keyId, familyId, senderHash } = fields;
      log({ operation: REUSED, requestId: request.requestId, companyId, keyId, familyId, senderHash, durationMs: 0 });
    }
    throw new Unauthenticated(error.refusal, error.ids, refusedDetail);
  }
}
