import { WWW_AUTHENTICATE } from '../../../contract/gateway-responses.ts';
import { Problem } from '../../../contract/problem.ts';
import { routeOf } from '../../../contract/routes.ts';
import type { TokenAnswer } from '../../../contract/small-answers.ts';
import { TokenRequest } from '../../../contract/token.ts';
import { ACCESS_TOKEN_SECONDS, issueAccessToken } from '../../../credentials/access-token.ts';
import type { Authentication } from '../../../credentials/authenticate.ts';
import { type BasicCredentials, readBasic } from '../../../credentials/basic.ts';
import { encodeText } from '../../../service/document.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import type { HttpRequest } from '../request.ts';

/** `POST /authentication/token` */
export function obtainToken(authentication: Authentication, options?: OperationOptions): HttpHandler {
  const { keys, signingKeys, now, newId } = authentication;
  return operation(
    routeOf('obtainToken'),
    jsonBody({ isOptional: true }),
    async (request) => {
      const credentials = credentialsOf(request);
      const principal = credentials && (await keys.byApiKey(credentials.companyId, credentials.apiKey));
      if (!principal) {
        const detail = 'The company id and API key are missing or wrong.';
        throw new Problem('unauthenticated', { detail, wwwAuthenticate: WWW_AUTHENTICATE });
      }
      const AccessToken = await issueAccessToken(principal, await signingKeys(), now(), newId());
      const answer: TokenAnswer = { AccessToken, expiresIn: ACCESS_TOKEN_SECONDS };
      return { status: 200, json: await encodeText(JSON.stringify(answer)) };
    },
    options,
  );
}

/** From the body where there is one, else from the header. What has the wrong shape is as wrong as a wrong key. */
function credentialsOf({ received, body, header }: HttpRequest): BasicCredentials | undefined {
  if (!received) return readBasic(header('authorization') ?? '');
  const read = TokenRequest.safeParse(body);
  return read.success ? { companyId: read.data.username, apiKey: read.data.password } : undefined;
}
