import { RefreshRequest } from '../../contract/token.ts';
import type { AuthDeps } from '../../credentials/authenticate.ts';
import { refreshPair } from '../../credentials/token-pair.ts';
import { readIdempotency } from '../idempotency-key.ts';
import { jsonBody } from '../middleware/body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { issuedPair, signIn } from '../sign-in.ts';

/** How long the lease lasts after the deadline, in milliseconds, because an attempt's last write may arrive late. */
const LEASE_MARGIN_MS = 1_000;

const REJECTED =
  'The refresh token is missing or wrong. Send the newest refresh token in the field token of a JSON body. If you sent the newest, its sign-in has ended: sign in again.';

/** Makes the handler of `POST /authentication/RefreshToken`. */
export function refreshToken(authentication: AuthDeps, options: OperationOptions): HttpHandler {
  return operation('refreshToken', { ...options, body: jsonBody('refresh-token') }, async (request) => {
    const { idempotency, headers } = readIdempotency(request);
    const read = RefreshRequest.safeParse(request.body);
    // A malformed body is rejected like a wrong token.
    const refreshToken = read.success ? read.data.token : '';
    const { address } = request;
    const leaseMs = request.deadline.remainingMs() + LEASE_MARGIN_MS;
    const issue = async () =>
      issuedPair(
        await refreshPair(authentication, { refreshToken, address }, idempotency && { ...idempotency, leaseMs }),
      );
    return signIn(request, { authentication, log: options.log, rejectedDetail: () => REJECTED, issue, headers });
  });
}
