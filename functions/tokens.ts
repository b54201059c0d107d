import { authentication } from '#platform';
import { httpFunction } from '../lib/http/http-function.ts';
import { obtainOAuthToken } from '../lib/http/operations/obtain-oauth-token.ts';
import { obtainToken } from '../lib/http/operations/obtain-token.ts';
import { refreshToken } from '../lib/http/operations/refresh-token.ts';

const credentials = authentication();
const options = { now: Date.now };

export const handler = httpFunction('tokens', {
  obtainToken: obtainToken(credentials, options),
  obtainOAuthToken: obtainOAuthToken(credentials, options),
  refreshToken: refreshToken(credentials, options),
});
