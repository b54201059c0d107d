import * as z from 'zod/mini';
import { OAuthErrorAnswer, OAuthTokenAnswer } from '../contract/answers.ts';
import { type BasicCredentials, type Refusal, readBasic } from '../contract/basic-credentials.ts';
import * as failures from '../contract/failures.ts';
import { unauthenticatedDetail } from '../contract/gateway-responses.ts';
import { GRANT_TYPE, NO_CACHE } from '../contract/oauth.ts';
import { Problem } from '../contract/problem.ts';
import { type Route, SCOPES, type Scope } from '../contract/routes.ts';
import { OAuthTokenRequest } from '../contract/token.ts';
import type { AuthDeps } from '../credentials/authenticate.ts';
import { CredentialsRefused } from '../credentials/credentials-refused.ts';
import type { Principal } from '../credentials/key-directory.ts';
import { issueAccessToken } from '../credentials/token-pair.ts';
import { formBody } from '../http/middleware/body.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { HttpRequest } from '../http/request.ts';
import { signIn } from '../http/sign-in.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { SIGN_IN } from './route-parts.ts';

const ACCEPTED =
  'Send the company id and the API key as client_id and client_secret in the form, or as Authorization: Basic base64(<company id>:<API key>).';

const rejectedDetail = (refusal: Refusal) => unauthenticatedDetail(refusal, ACCEPTED);

export const obtainOAuthTokenRoute = {
  ...SIGN_IN,
  id: 'obtainOAuthToken',
  path: '/oauth/token',
  summary: 'Obtain an access token with OAuth 2.0',
  body: 'client-credentials',
  problems: [
    'invalid-token-request',
    'unsupported-grant-type',
    'invalid-scope',
    'unsupported-media-type',
    'too-large',
    'unauthenticated',
    'company-suspended',
  ],
  errorForm: 'oauth',
} as const satisfies Route;

/**
 * Makes the handler of `POST /oauth/token`: the client credentials grant of OAuth 2.0 (RFC 6749, section 4.4). The
 * company id is the client id, and the API key is the client secret.
 */
export function obtainOAuthToken(authentication: AuthDeps, options: OperationOptions): OperationHandler {
  return operation(obtainOAuthTokenRoute, { ...options, body: formBody('client-credentials') }, async (request) => {
    const form = readTokenForm(request.body);
    const credentials = credentialsOf(request, form);
    const issue = async () => {
      if (!credentials) throw new CredentialsRefused(request.header('authorization') ? 'malformed' : 'missing');
      const { companyId, apiKey } = credentials;
      const use = { address: request.address, nowMs: authentication.now() };
      const principal = await authentication.keys.verifyApiKey(companyId, apiKey, use);
      const scopes = scopesFor(principal, form.scope);
      const { subject, accessToken, expiresIn } = await issueAccessToken(authentication, principal, scopes);
      const scope = (scopes ?? principal.scopes).join(' ');
      return {
        subject,
        answer: { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope },
      } as const;
    };
    return signIn(request, { authentication, log: options.log, rejectedDetail, issue, headers: NO_CACHE });
  });
}

const values = z.optional(z.array(z.string()));
const Fields = z.object({ grant_type: values, client_id: values, client_secret: values, scope: values });
type TokenForm = { readonly [Name in keyof z.infer<typeof Fields>]?: string | undefined };

/**
 * Reads the fields of a token request. A field without a value counts as absent, and unknown fields are ignored.
 * @throws {Problem} `invalid-token-request` if a field is repeated or the grant type is missing; `unsupported-grant-type`
 */
function readTokenForm(body: unknown): TokenForm {
  const form: Record<string, string> = {};
  for (const [name, [value = '', ...more] = []] of Object.entries(Fields.parse(body))) {
    if (more.length > 0) throw invalid(`The form must have the field ${name} only once.`);
    if (value !== '') form[name] = value;
  }
  const { grant_type: grantType } = form;
  if (grantType === undefined) throw failures.grantTypeMissing();
  if (grantType === GRANT_TYPE) return form;
  throw failures.unsupportedGrantType();
}

/**
 * Reads the credentials from the header `Authorization`, or without it from the form. Malformed credentials are rejected
 * like a wrong key.
 * @throws {Problem} `invalid-token-request` if both the header and the form have credentials
 */
function credentialsOf(
  { header }: HttpRequest,
  { client_id: companyId, client_secret: apiKey }: TokenForm,
): BasicCredentials | undefined {
  const authorization = header('authorization');
  if (!authorization) return companyId !== undefined && apiKey !== undefined ? { companyId, apiKey } : undefined;
  const basic = formDecoded(readBasic(authorization));
  if (apiKey !== undefined || (basic && companyId !== undefined && companyId !== basic.companyId)) {
    throw invalid('Send the credentials either in the header Authorization or in the form, not in both.');
  }
  return basic;
}

/** Decodes the id and the secret of a client, which OAuth clients percent-encode (RFC 6749, section 2.3.1). */
function formDecoded(credentials: BasicCredentials | undefined): BasicCredentials | undefined {
  if (!credentials) return undefined;
  try {
    const { companyId, apiKey } = credentials;
    return { companyId: decodeURIComponent(companyId), apiKey: decodeURIComponent(apiKey) };
  } catch {
    return undefined;
  }
}

/**
 * Returns the scopes to which a token is limited, or `undefined` if the request names none.
 * @throws {Problem} `invalid-scope` if the key lacks a requested scope
 */
function scopesFor({ scopes }: Principal, requested: string | undefined): readonly Scope[] | undefined {
  if (requested === undefined) return undefined;
  const words = requested.split(' ');
  const isKnown = words.every((word) => scopes.some((scope) => scope === word));
  if (isKnown) return SCOPES.filter((scope) => words.includes(scope));
  throw failures.invalidScope(scopes);
}

function invalid(detail: string): Problem {
  return new Problem('invalid-token-request', { detail });
}

export const obtainOAuthTokenDocs = (): OperationDocs => ({
  tag: 'Authentication',
  description:
    'The client credentials grant of OAuth 2.0 (RFC 6749). The company id is the client id, and the API key is the client secret: send them with Basic authentication or in the form. There is no refresh token. Answers and errors have the form of RFC 6749. Errors of the gateway, such as 405, are problems.',
  request: { schema: OAuthTokenRequest, example: { grant_type: GRANT_TYPE, scope: 'create read' } },
  answers: [
    {
      status: 200,
      description: 'An access token.',
      schema: OAuthTokenAnswer,
      example: {
        access_token: '<ACCESS_TOKEN>',
        token_type: 'Bearer',
        expires_in: 1800,
        scope: 'create read',
      } satisfies OAuthTokenAnswer,
    },
  ],
  schemas: { OAuthTokenRequest, OAuthToken: OAuthTokenAnswer, OAuthError: OAuthErrorAnswer },
  clientTypes: { OAuthTokenRequest: null, OAuthToken: null, OAuthError: null },
});
