import { authentication } from '#platform';
import { authorizer } from '../lib/doors/http/authorizer.ts';

export const handler = authorizer(authentication());
