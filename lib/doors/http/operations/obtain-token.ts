import { WWW_AUTHENTICATE } from '../../../contract/gateway-responses.ts';
import { Problem } from '../../../contract/problem.ts';
import { routeOf } from '../../../contract/routes.ts';
import { TokenRequest } from '../../../contract/token.ts';
import type { Authentication } from '../../../credentials/authentication.ts';
import { type BasicCredentials, readBasic } from '../../../credentials/basic.ts';
import { beginFamily } from '../../../credentials/token-families.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import type { HttpRequest } from '../request.ts';
import { tokenAnswer } from '../token-answer.ts';

/** `POST /authentication/token` */
export function obtainToken(authentication: Authentication, options: OperationOptions): HttpHandler {
  return operation(
    routeOf('obtainToken'),
    jsonBody({ isOptional: true }),
    async (request) => {
      const credentials = credentialsOf(request);
      const principal = credentials && (await authentication.keys.byApiKey(credentials.companyId, credentials.apiKey));
      if (!principal) {
        const detail = 'The company id and API key are missing or wrong.';
        throw new Problem('unauthenticated', { detail, wwwAuthenticate: WWW_AUTHENTICATE });
      }
      return tokenAnswer(await beginFamily(authentication, principal));
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
