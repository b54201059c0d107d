import { service } from '#service';
import { listProjects } from '../../lib/http/operations/list-projects.ts';

export const handler = listProjects(service, { now: Date.now });
