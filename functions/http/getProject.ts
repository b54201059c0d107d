import { service } from '#service';
import { getProject } from '../../lib/doors/http/operations/get-project.ts';

export const handler = getProject(service, { now: Date.now });
