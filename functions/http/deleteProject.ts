import { service } from '#service';
import { deleteProject } from '../../lib/doors/http/operations/delete-project.ts';

export const handler = deleteProject(service, { now: Date.now });
