import { authentication } from '#platform';
import { obtainToken } from '../../lib/http/operations/obtain-token.ts';

export const handler = obtainToken(authentication(), { now: Date.now });
