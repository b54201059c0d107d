import { routeOf } from '../../contract/routes.ts';
import { RefreshRequest } from '../../contract/token.ts';
import type { AuthDeps } from '../../credentials/authenticate.ts';
import { refreshPair } from '../../credentials/token-pair.ts';
import { logToStandardError } from '../../service/log.ts';
import { onlyOnce } from '../idempotency-key.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { signIn } from '../sign-in.ts';
import { tokenAnswer } from '../token-answer.ts';

/** Kept back beyond the deadline, for the last write of an attempt to arrive. */
const LEASE_MARGIN_MS = 1_000;

const REFUSED =
  'The refresh token is missing or wrong. Send the newest refresh token as token in a JSON body. If it is the newest, its sign-in has ended: sign in again.';

/** `POST /authentication/RefreshToken` */
export function refreshToken(authentication: AuthDeps, options: OperationOptions): HttpHandler {
  return operation(
    routeOf('refreshToken'),
    jsonBody(routeOf('refreshToken')),
    async (request) => {
      const { idempotency, headers } = onlyOnce(request);
      const read = RefreshRequest.safeParse(request.body);
      // What has the wrong shape is as wrong as a wrong token.
      const token = read.success ? read.data.token : '';
      const leaseMs = request.deadline.remainingMs() + LEASE_MARGIN_MS;
      const issue = () => refreshPair(authentication, token, idempotency && { ...idempotency, leaseMs });
      const issuance = await signIn(request, authentication, options.log ?? logToStandardError, REFUSED, issue);
      return tokenAnswer(issuance, headers);
    },
    options,
  );
}
