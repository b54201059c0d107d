import { openTranslations } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { changeTranslations } from '../lib/operations/routes.ts';

const service = await openTranslations();

export const handler = httpFunction(changeTranslations.map((operation) => operation(service, { now: Date.now })));
