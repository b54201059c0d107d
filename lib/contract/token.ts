import * as z from 'zod/mini';
import { required } from './fields.ts';

/** The schema of the body of a sign-in. Its field names are those that clients of an existing public API send. */
export const TokenRequest = z.strictObject({
  username: required(z.string(), 'The company id.'),
  password: required(z.string(), 'The API key.'),
});

/** The schema of the body of a refresh, which requests the next pair of tokens. */
export const RefreshRequest = z.strictObject({
  token: required(z.string(), 'The refresh token.'),
});
