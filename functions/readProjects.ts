import { openReads } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { readProjects } from '../lib/operations/routes.ts';

const service = await openReads();

export const handler = httpFunction(readProjects.map((operation) => operation(service, { now: Date.now })));
