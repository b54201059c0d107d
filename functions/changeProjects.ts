import { quotedEngine, supportsPair } from '#engine';
import { openChanges } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { changeProjects } from '../lib/operations/routes.ts';

const service = await openChanges();
const options = { now: Date.now, supportsPair, quotedEngine };

export const handler = httpFunction(changeProjects.map((operation) => operation(service, options)));
