import { service } from '#service';
import { createProject } from '../../lib/doors/http/operations/create-project.ts';

export const handler = createProject(service, { now: Date.now });
