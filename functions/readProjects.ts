import { service } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { getOperation } from '../lib/http/operations/get-operation.ts';
import { getProject, getProjectByCustomId } from '../lib/http/operations/get-project.ts';
import { listProjects } from '../lib/http/operations/list-projects.ts';

const options = { now: Date.now };

export const handler = httpFunction('readProjects', {
  listProjects: listProjects(service, options),
  getProject: getProject(service, options),
  getProjectByCustomId: getProjectByCustomId(service, options),
  getOperation: getOperation(service, options),
});
