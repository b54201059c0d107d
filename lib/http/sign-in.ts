import type { OAuthTokenAnswer, TokenAnswer } from '../contract/answers.ts';
import type { Refusal } from '../contract/basic-credentials.ts';
import type { AuthDeps } from '../credentials/authenticate.ts';
import { CredentialsRefused } from '../credentials/credentials-refused.ts';
import type { AccessToken, TokenPair } from '../credentials/token-pair.ts';
import { encodeText } from '../service/encoded-text.ts';
import { type Log, logToStandardError } from '../service/log.ts';
import type { HttpResult } from './http-result.ts';
import { refusalFields } from './refusal-fields.ts';
import type { HttpRequest } from './request.ts';

/** Issued tokens. */
interface Issued {
  readonly subject: AccessToken['subject'];
  readonly answer: TokenAnswer | OAuthTokenAnswer;
}

/** The options of `signIn`. */
interface SignInOptions {
  readonly authentication: AuthDeps;
  readonly log?: Log | undefined;
  /** Returns the detail of the problem `unauthenticated`. It says which credentials the operation accepts. */
  readonly rejectedDetail: (refusal: Refusal) => string;
  /** Issues the tokens, and returns them with the answer that contains them. It throws `CredentialsRefused` if the credentials are wrong. */
  readonly issue: () => Promise<Issued>;
  /** Additional headers of the result. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Issues tokens and returns the HTTP result that contains them. Adds the owner of the tokens, or the reason
 * for the rejection, to the log line of the request.
 * @throws {CredentialsRefused} if the credentials are rejected
 */
export async function signIn(request: HttpRequest, options: SignInOptions): Promise<HttpResult> {
  const { authentication, log = logToStandardError, rejectedDetail, issue, headers = {} } = options;
  try {
    const { subject, answer } = await issue();
    const { companyId, keyId, familyId } = subject;
    request.logFields = { companyId, keyId, familyId };
    return { status: 200, headers, json: await encodeText(JSON.stringify(answer)) };
  } catch (error) {
    if (!(error instanceof CredentialsRefused)) throw error;
    const fields = await refusalFields(error, request.address, authentication);
    request.logFields = fields;
    if (error.refusal === 'reused-token') logReuse(request, fields, log);
    throw new CredentialsRefused(error.refusal, error.ids, rejectedDetail(error.refusal));
  }
}

/** Returns a pair of tokens with the answer that contains it. */
export function issuedPair({ subject, accessToken, refreshToken, expiresIn }: TokenPair): Issued {
  return { subject, answer: { AccessToken: accessToken, RefreshToken: refreshToken, expiresIn } };
}

/** Logs that a used refresh token was sent again. It is an alert, because the token may be stolen. */
function logReuse({ requestId, traceId }: HttpRequest, fields: HttpRequest['logFields'], log: Log): void {
  const { companyId, keyId, familyId, senderHash } = fields;
  const ids = { requestId, traceId, companyId, keyId, familyId, senderHash };
  log({ operation: 'refreshTokenReused', alert: 'token-reused', durationMs: 0, ...ids });
}
