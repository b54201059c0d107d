import * as z from 'zod/mini';
import { required } from './fields.ts';

/** The body of a request for an access token: company id and API key under the names public clients send. */
export const TokenRequest = z.strictObject({
  username: required(z.string(), 'The company id.'),
  password: required(z.string(), 'The API key.'),
});

/** The body of a request for the next pair of tokens. */
export const RefreshRequest = z.strictObject({
  token: required(z.string(), 'The refresh token.'),
});
