import { service } from '#service';
import { getProject } from '../../lib/http/operations/get-project.ts';

export const handler = getProject(service, { now: Date.now });
