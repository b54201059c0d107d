import { authentication } from '#platform';
import { httpFunction } from '../lib/http/http-function.ts';
import { obtainToken } from '../lib/http/operations/obtain-token.ts';
import { refreshToken } from '../lib/http/operations/refresh-token.ts';

const credentials = authentication();
const options = { now: Date.now };

export const handler = httpFunction('tokens', {
  obtainToken: obtainToken(credentials, options),
  refreshToken: refreshToken(credentials, options),
});
