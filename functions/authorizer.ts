import { authentication } from '#platform';
import { authorizer } from '../lib/http/authorizer.ts';
import { recordUse } from './compose/last-use.ts';

export const handler = authorizer(authentication(), { recordUse });
