import { authentication } from '#platform';
import { httpFunction } from '../lib/http/http-function.ts';
import { obtainOAuthToken } from '../lib/operations/obtain-oauth-token.ts';
import { obtainToken } from '../lib/operations/obtain-token.ts';
import { refreshToken } from '../lib/operations/refresh-token.ts';

const credentials = authentication();
const options = { now: Date.now };

export const handler = httpFunction([
  obtainToken(credentials, options),
  obtainOAuthToken(credentials, options),
  refreshToken(credentials, options),
]);
