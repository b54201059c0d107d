import { supportsPair } from '#language-pairs';
import { service } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { createProject } from '../lib/http/operations/create-project.ts';
import { deleteProject, deleteProjectByCustomId } from '../lib/http/operations/delete-project.ts';

const options = { now: Date.now };

export const handler = httpFunction('changeProjects', {
  createProject: createProject(service, { ...options, supportsPair }),
  deleteProject: deleteProject(service, options),
  deleteProjectByCustomId: deleteProjectByCustomId(service, options),
});
