import type { Refusal } from './basic-credentials.ts';
import { type Occurrence, PROJECT_PATHS } from './problem.ts';
import type { ProblemType } from './problems.ts';

/** An answer that comes from API Gateway itself, not from a Lambda function. Segue replaces its body with a problem. */
export interface GatewayResponse extends Occurrence {
  /** The response type, under the name that API Gateway uses. */
  readonly type: string;
  /** The problem type of the answer. */
  readonly problem: ProblemType;
}

/** The value of the `WWW-Authenticate` header: the accepted authentication schemes, in the syntax of RFC 9110. */
export const WWW_AUTHENTICATE = 'Basic realm="segue", charset="UTF-8", Bearer realm="segue"';

/**
 * The `Strict-Transport-Security` header, which every response over TLS has. It does not apply to subdomains, where the
 * operator may run other services.
 */
export const TRANSPORT_SECURITY = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

/** The end of the details of the problem `unauthenticated`. It names every accepted form of credentials. */
export const ACCEPTED_CREDENTIALS =
  'Send Authorization: Basic base64(<company id>:<API key>), Bearer <API key> or Bearer <access token>. Basic needs the company id, and Segue reads no key from X-Api-Key or another header.';

/**
 * Returns the detail of the problem `unauthenticated`.
 * @param accepted a sentence that names the accepted forms of credentials
 */
export function unauthenticatedDetail(refusal: Refusal, accepted = ACCEPTED_CREDENTIALS): string {
  return `${refusalText(refusal)} ${accepted}`;
}

/**
 * Says whether credentials are missing, have an unknown form, or are wrong, but never which part is wrong. API Gateway
 * inserts the text into JSON, so it has no characters that JSON escapes.
 */
export function refusalText(refusal: Refusal): string {
  if (refusal === 'missing') return 'The request has no credentials, or more than one Authorization header.';
  if (refusal === 'malformed') return 'Segue does not know this form of credentials.';
  return 'The credentials are wrong. Check the company id and the API key, or the token.';
}

/** The detail of the problem `route-not-found`. */
export const NO_SUCH_PATH = `The API has no such path. ${PROJECT_PATHS} Write a slash inside a custom id as %2F. GET /docs shows all paths.`;
/** The details of the problem `rate-limited`, for a company that exceeds its request rate. */
export const RATE_LIMITED = {
  detail: 'The company exceeds its request rate. Wait for the time in Retry-After, then send the request again.',
  retryAfterSeconds: 1,
} as const;

/** Every answer that API Gateway can give by itself. The stack and the local gateway read this list. */
export const GATEWAY_RESPONSES = /* @__PURE__ */ gatewayResponses();

/** Makes the list. A call, which is marked pure, so that a bundle without the list has none of it. */
function gatewayResponses() {
  const credentials = {
    problem: 'unauthenticated',
    detail: unauthenticatedDetail('missing'),
    wwwAuthenticate: WWW_AUTHENTICATE,
  } as const;
  const refused = { ...credentials, detail: unauthenticatedDetail('wrong-key') } as const;
  const nowhere = { problem: 'route-not-found', detail: NO_SUCH_PATH } as const;
  const throttled = { problem: 'rate-limited', ...RATE_LIMITED } as const;
  const unavailable = {
    problem: 'unavailable',
    detail: 'Segue cannot check the credentials at the moment. Send the request again later.',
    retryAfterSeconds: 5,
  } as const;
  const broken = { problem: 'internal-error', detail: 'Segue could not handle the request.' } as const;

  return [
    { type: 'UNAUTHORIZED', ...credentials },
    { type: 'EXPIRED_TOKEN', ...refused },
    { type: 'INVALID_SIGNATURE', ...refused },
    { type: 'INVALID_API_KEY', ...refused },
    // API Gateway inserts the reason that the authorizer gives. If a policy of the API denies, there is none.
    { type: 'ACCESS_DENIED', ...credentials, detail: `$context.authorizer.reason ${ACCEPTED_CREDENTIALS}` },
    { type: 'MISSING_AUTHENTICATION_TOKEN', ...nowhere },
    { type: 'RESOURCE_NOT_FOUND', ...nowhere },
    {
      type: 'BAD_REQUEST_PARAMETERS',
      problem: 'invalid-parameter',
      detail: 'The path or the query is malformed. Percent-encode it: a % is %25.',
    },
    {
      type: 'BAD_REQUEST_BODY',
      problem: 'malformed-json',
      detail: 'Segue cannot read the body. Send one JSON value in UTF-8.',
    },
    {
      type: 'UNSUPPORTED_MEDIA_TYPE',
      problem: 'unsupported-media-type',
      detail:
        'The body must be JSON in UTF-8, or a form for POST /oauth/token. Content-Encoding must be gzip, identity or absent, and match the body.',
    },
    {
      type: 'REQUEST_TOO_LARGE',
      problem: 'too-large',
      detail: 'The request exceeds the size limit of Amazon API Gateway: 10485760 bytes.',
    },
    {
      type: 'WAF_FILTERED',
      problem: 'rate-limited',
      detail:
        'Too many requests came from your address, so the firewall rejected this one. Wait for the time in Retry-After, then send fewer requests.',
      retryAfterSeconds: 60,
    },
    { type: 'THROTTLED', ...throttled },
    { type: 'QUOTA_EXCEEDED', ...throttled },
    {
      type: 'INTEGRATION_TIMEOUT',
      problem: 'outcome-unknown',
      detail:
        'Segue did not finish the request within 29 seconds, the limit of Amazon API Gateway. The request may still take effect.',
    },
    { type: 'INTEGRATION_FAILURE', ...broken },
    { type: 'AUTHORIZER_FAILURE', ...unavailable },
    { type: 'AUTHORIZER_CONFIGURATION_ERROR', ...unavailable },
    { type: 'API_CONFIGURATION_ERROR', ...broken },
    { type: 'DEFAULT_5XX', ...broken },
  ] as const satisfies readonly GatewayResponse[];
}

/** The answer to a request that the firewall rejects, if the firewall has Amazon's managed rules. */
export const MANAGED_FIREWALL_RESPONSE = {
  type: 'WAF_FILTERED',
  problem: 'invalid-header',
  detail:
    'The firewall rejected the request because of a header, because of the sender’s address, or because that address sends too many requests.',
} as const satisfies GatewayResponse;

export type GatewayResponseType = (typeof GATEWAY_RESPONSES)[number]['type'];
