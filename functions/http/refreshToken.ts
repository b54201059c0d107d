import { authentication } from '#platform';
import { refreshToken } from '../../lib/http/operations/refresh-token.ts';

export const handler = refreshToken(authentication(), { now: Date.now });
