import { authentication } from '#platform';
import { authorizer } from '../lib/http/authorizer.ts';

export const handler = authorizer(authentication());
