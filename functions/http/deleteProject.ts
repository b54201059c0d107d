import { service } from '#service';
import { deleteProject } from '../../lib/http/operations/delete-project.ts';

export const handler = deleteProject(service, { now: Date.now });
