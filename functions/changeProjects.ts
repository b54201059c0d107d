import { supportsPair } from '#language-pairs';
import { openService } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { createProject } from '../lib/operations/create-project.ts';
import { deleteProject } from '../lib/operations/delete-project.ts';

const service = await openService();
const options = { now: Date.now };

export const handler = httpFunction([
  createProject(service, { ...options, supportsPair }),
  ...deleteProject(service, options),
]);
