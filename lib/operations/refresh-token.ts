import { TokenAnswer } from '../contract/answers.ts';
import type { Route } from '../contract/routes.ts';
import { RefreshRequest } from '../contract/token.ts';
import type { AuthDeps } from '../credentials/authenticate.ts';
import { refreshPair } from '../credentials/token-pair.ts';
import { readIdempotency } from '../http/idempotency-key.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { issuedPair, signIn } from '../http/sign-in.ts';
import { leaseMsOf } from '../service/deadline.ts';
import * as example from './docs/examples.ts';
import { KEY, type OperationDocs } from './docs/operation-docs.ts';
import { BODY, SIGN_IN, WITH_KEY } from './route-parts.ts';

const REJECTED =
  'The refresh token is missing or wrong. Send the newest refresh token in the field token of a JSON body. If you sent the newest, its sign-in has ended: sign in again.';

export const refreshTokenRoute = {
  ...SIGN_IN,
  id: 'refreshToken',
  path: '/authentication/RefreshToken',
  summary: 'Refresh an access token',
  body: 'refresh-token',
  problems: [...BODY, 'unauthenticated', 'company-suspended', ...WITH_KEY, 'outcome-unknown'],
} as const satisfies Route;

/** Makes the handler of `POST /authentication/RefreshToken`. */
export function refreshToken(authentication: AuthDeps, options: OperationOptions): OperationHandler {
  return operation(refreshTokenRoute, { ...options, body: jsonBody('refresh-token') }, async (request) => {
    const { idempotency, headers } = readIdempotency(request);
    const read = RefreshRequest.safeParse(request.body);
    // A malformed body is rejected like a wrong token.
    const refreshToken = read.success ? read.data.token : '';
    const { address } = request;
    const leaseMs = leaseMsOf(request.deadline);
    const issue = async () =>
      issuedPair(
        await refreshPair(authentication, { refreshToken, address }, idempotency && { ...idempotency, leaseMs }),
      );
    return signIn(request, { authentication, log: options.log, rejectedDetail: () => REJECTED, issue, headers });
  });
}

export const refreshTokenDocs = (): OperationDocs => ({
  tag: 'Authentication',
  description:
    'Exchanges a refresh token for the next pair of tokens. A refresh token works once, within 24 hours. A second use ends every token of the same sign-in. To retry after a lost answer, send the same `Idempotency-Key`.',
  request: { schema: RefreshRequest, example: { token: '<REFRESH_TOKEN>' } },
  headers: [KEY],
  answers: [
    {
      status: 200,
      description: 'The next pair of tokens.',
      schema: TokenAnswer,
      example: example.tokens,
      headers: ['Idempotent-Replayed'],
    },
  ],
  schemas: { RefreshRequest },
  clientTypes: { RefreshRequest: null },
});
