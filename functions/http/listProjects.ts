import { service } from '#service';
import { listProjects } from '../../lib/doors/http/operations/list-projects.ts';

export const handler = listProjects(service, { now: Date.now });
