import type { Occurrence } from './problem.ts';
import type { ProblemType } from './problems.ts';

/** What API Gateway answers by itself, in place of a function: its own response type, and the problem to say instead. */
export interface GatewayResponse extends Occurrence {
  /** The name API Gateway gives the response type. */
  readonly type: string;
  readonly problem: ProblemType;
}

/** Both schemes that a caller may use, as RFC 9110 has them said. */
export const WWW_AUTHENTICATE = 'Basic realm="segue", charset="UTF-8", Bearer realm="segue"';

/** Of every answer over TLS. Not for subdomains: the operator's other hosts are none of Segue's business. */
export const TRANSPORT_SECURITY = { 'Strict-Transport-Security': 'max-age=31536000' } as const;

/** Names every accepted form of credentials. */
export const UNAUTHENTICATED_DETAIL =
  'The credentials are missing or wrong. Send Authorization: Basic base64(<company id>:<API key>), Bearer <API key> or Bearer <access token>.';

const credentials = {
  problem: 'unauthenticated',
  detail: UNAUTHENTICATED_DETAIL,
  wwwAuthenticate: WWW_AUTHENTICATE,
} as const;
const nowhere = { problem: 'route-not-found', detail: 'No operation has this path.' } as const;
/** For a company's request above its rate. */
export const RATE_LIMITED = {
  detail: 'The company sends more requests than its rate allows.',
  retryAfterSeconds: 1,
} as const;
const throttled = { problem: 'rate-limited', ...RATE_LIMITED } as const;
const unavailable = {
  problem: 'unavailable',
  detail: 'The credentials cannot be checked now.',
  retryAfterSeconds: 5,
} as const;
const broken = { problem: 'internal-error', detail: 'The request could not be handled.' } as const;

/** Every gateway response whose meaning is known. Shared by the stack and the local gateway. */
export const GATEWAY_RESPONSES = [
  { type: 'UNAUTHORIZED', ...credentials },
  { type: 'EXPIRED_TOKEN', ...credentials },
  { type: 'INVALID_SIGNATURE', ...credentials },
  { type: 'INVALID_API_KEY', ...credentials },
  { type: 'ACCESS_DENIED', ...credentials },
  { type: 'MISSING_AUTHENTICATION_TOKEN', ...nowhere },
  { type: 'RESOURCE_NOT_FOUND', ...nowhere },
  {
    type: 'BAD_REQUEST_PARAMETERS',
    problem: 'invalid-parameter',
    detail: 'The path or the query could not be read.',
  },
  { type: 'BAD_REQUEST_BODY', problem: 'malformed-json', detail: 'The body could not be read.' },
  {
    type: 'UNSUPPORTED_MEDIA_TYPE',
    problem: 'unsupported-media-type',
    detail: 'The body must be JSON in UTF-8. Content-Encoding must be gzip or absent, and match the body.',
  },
  { type: 'REQUEST_TOO_LARGE', problem: 'too-large', detail: 'The request is larger than the gateway takes.' },
  {
    type: 'WAF_FILTERED',
    problem: 'invalid-header',
    detail:
      'The firewall refuses the request, for a header of it, for where it comes from, or because its address sends too many.',
  },
  { type: 'THROTTLED', ...throttled },
  { type: 'QUOTA_EXCEEDED', ...throttled },
  {
    type: 'INTEGRATION_TIMEOUT',
    problem: 'outcome-unknown',
    detail: 'The request took longer than the gateway waits.',
  },
  { type: 'INTEGRATION_FAILURE', ...broken },
  { type: 'AUTHORIZER_FAILURE', ...unavailable },
  { type: 'AUTHORIZER_CONFIGURATION_ERROR', ...unavailable },
  { type: 'API_CONFIGURATION_ERROR', ...broken },
  { type: 'DEFAULT_5XX', ...broken },
] as const satisfies readonly GatewayResponse[];

export type GatewayResponseType = (typeof GATEWAY_RESPONSES)[number]['type'];
