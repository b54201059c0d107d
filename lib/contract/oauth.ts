import { type Occurrence, problemHeaders } from './problem.ts';
import { PROBLEMS, type ProblemType } from './problems.ts';

/**
 * The error codes of `POST /oauth/token`. RFC 6749 defines `temporarily_unavailable` and `server_error` for another
 * endpoint. It has no codes of its own for failures of this one.
 */
export const OAUTH_ERROR_CODES = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'unsupported_grant_type',
  'temporarily_unavailable',
  'server_error',
] as const;
export type OAuthErrorCode = (typeof OAUTH_ERROR_CODES)[number];

/** The only grant type of `POST /oauth/token` (RFC 6749, section 4.4). */
export const GRANT_TYPE = 'client_credentials';

/** The body of an error answer in the form of RFC 6749, section 5.2. */
export interface OAuthErrorBody {
  readonly error: OAuthErrorCode;
  readonly error_description: string;
  /** The URL of the page of the problem type. */
  readonly error_uri: string;
}

const CODES: Readonly<Partial<Record<ProblemType, OAuthErrorCode>>> = {
  unauthenticated: 'invalid_client',
  'company-suspended': 'unauthorized_client',
  'unsupported-grant-type': 'unsupported_grant_type',
  'invalid-scope': 'invalid_scope',
};

/** Returns the error code of a problem type. */
export function oauthErrorCode(type: ProblemType): OAuthErrorCode {
  const { status, retryable } = PROBLEMS[type];
  if (retryable) return 'temporarily_unavailable';
  return CODES[type] ?? (status < 500 ? 'invalid_request' : 'server_error');
}

/** Builds the body of an error answer. */
export function oauthErrorBody(type: ProblemType, { detail }: Occurrence, problemsUrl: string): OAuthErrorBody {
  return {
    error: oauthErrorCode(type),
    error_description: plainAscii(detail),
    error_uri: `${problemsUrl}/${type}`,
  };
}

/** Returns the headers that an error answer has in addition to the headers of every answer. */
export function oauthErrorHeaders(type: ProblemType, occurrence: Occurrence): Record<string, string> {
  return { ...problemHeaders(type, occurrence), 'Content-Type': 'application/json', ...NO_CACHE };
}

/** The header that RFC 6749, section 5.1, requires in addition to `Cache-Control: no-store`. */
export const NO_CACHE = { Pragma: 'no-cache' } as const;

/** Replaces the characters that `error_description` must not contain. */
function plainAscii(text: string): string {
  return text.replaceAll(/["\\’“”]/g, "'").replaceAll(/[^\x20-\x7e]/g, '?');
}
