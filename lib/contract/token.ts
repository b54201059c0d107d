import * as z from 'zod/mini';
import { required } from './fields.ts';
import { GRANT_TYPE } from './oauth.ts';

/** The schema of the body of a sign-in. Its field names are those that clients of an existing public API send. */
export const TokenRequest = z.strictObject({
  username: required(z.string(), 'The company id.'),
  password: required(z.string(), 'The API key.'),
});

/** The schema of the body of a refresh, which requests the next pair of tokens. */
export const RefreshRequest = z.strictObject({
  token: required(z.string(), 'The refresh token.'),
});

/** The schema of the form of `POST /oauth/token`. Other fields are ignored, as RFC 6749 requires. */
export const OAuthTokenRequest = z.looseObject({
  grant_type: required(z.literal(GRANT_TYPE), 'Always `client_credentials`.'),
  client_id: required(z.optional(z.string()), 'The company id, unless it is in the `Authorization` header.'),
  client_secret: required(z.optional(z.string()), 'The API key, unless it is in the `Authorization` header.'),
  scope: required(
    z.optional(z.string()),
    'The scopes of the token, separated by spaces. The key must have each of them. Without this field, the token has all scopes of the key.',
  ),
});
