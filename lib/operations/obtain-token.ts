import { TokenAnswer } from '../contract/answers.ts';
import { type BasicCredentials, type Refusal, readBasic } from '../contract/basic-credentials.ts';
import { unauthenticatedDetail } from '../contract/gateway-responses.ts';
import { TOKEN_PATH } from '../contract/paths.ts';
import type { Route } from '../contract/routes.ts';
import { TokenRequest } from '../contract/token.ts';
import type { AuthDeps } from '../credentials/authenticate.ts';
import { CredentialsRefused } from '../credentials/credentials-refused.ts';
import { issueFirstPair } from '../credentials/token-pair.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { HttpRequest } from '../http/request.ts';
import { issuedPair, signIn } from '../http/sign-in.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { BODY, SIGN_IN } from './route-parts.ts';

const ACCEPTED =
  'Send the company id and the API key as username and password in a JSON body, or as Authorization: Basic base64(<company id>:<API key>) without a body.';

const rejectedDetail = (refusal: Refusal) => unauthenticatedDetail(refusal, ACCEPTED);

export const obtainTokenRoute = {
  ...SIGN_IN,
  id: 'obtainToken',
  path: TOKEN_PATH,
  summary: 'Obtain an access token',
  body: 'credentials',
  problems: [...BODY, 'unauthenticated', 'company-suspended'],
} as const satisfies Route;

/** Makes the handler of `POST /authentication/token`. */
export function obtainToken(authentication: AuthDeps, options: OperationOptions): OperationHandler {
  return operation(
    obtainTokenRoute,
    { ...options, body: jsonBody('credentials', { isOptional: true }) },
    async (request) => {
      const issue = async () => {
        const { companyId, apiKey } = credentialsOf(request);
        const use = { address: request.address, nowMs: authentication.now() };
        const principal = await authentication.keys.verifyApiKey(companyId, apiKey, use);
        return issuedPair(await issueFirstPair(authentication, principal));
      };
      return signIn(request, { authentication, log: options.log, rejectedDetail, issue });
    },
  );
}

/**
 * Reads the credentials from the body, or without a body from the header `Authorization`. Malformed credentials are
 * rejected like a wrong key.
 * @throws {CredentialsRefused} if there are no credentials, or they are malformed
 */
function credentialsOf({ received, body, header }: HttpRequest): BasicCredentials {
  const authorization = header('authorization');
  const credentials = received ? inBody(body) : readBasic(authorization ?? '');
  if (credentials) return credentials;
  throw new CredentialsRefused(received || authorization ? 'malformed' : 'missing');
}

function inBody(body: unknown): BasicCredentials | undefined {
  const read = TokenRequest.safeParse(body);
  return read.success ? { companyId: read.data.username, apiKey: read.data.password } : undefined;
}

export const obtainTokenDocs = (): OperationDocs => ({
  tag: 'Authentication',
  description:
    'Send the company id and the API key in the body, or send no body and use Basic authentication. The access token is valid for 30 minutes.',
  request: { schema: TokenRequest, example: { username: '<COMPANY_ID>', password: '<API_KEY>' } },
  answers: [{ status: 200, description: 'A pair of tokens.', schema: TokenAnswer, example: example.tokens }],
  schemas: { TokenRequest, TokenAnswer },
  clientTypes: { TokenRequest: null, TokenAnswer: 'Tokens' },
});
