import { authentication } from '#platform';
import { httpFunction } from '../lib/http/http-function.ts';
import { tokens } from '../lib/operations/routes.ts';

const credentials = authentication();

export const handler = httpFunction(tokens.map((operation) => operation(credentials, { now: Date.now })));
