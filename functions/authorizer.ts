import { authentication, credentials } from '#platform';
import { lastUseIn } from '../lib/credentials/last-use.ts';
import { authorizer } from '../lib/http/authorizer.ts';

export const handler = authorizer(authentication(), { recordUse: lastUseIn(credentials(), Date.now) });
