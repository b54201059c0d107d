import { service } from '#service';
import { createProject } from '../../lib/http/operations/create-project.ts';

export const handler = createProject(service, { now: Date.now });
