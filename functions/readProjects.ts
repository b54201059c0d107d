import { openService } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { getOperation } from '../lib/operations/get-operation.ts';
import { getProgress } from '../lib/operations/get-progress.ts';
import { getProject } from '../lib/operations/get-project.ts';
import { getSegments } from '../lib/operations/get-segments.ts';
import { listProjects } from '../lib/operations/list-projects.ts';
import { planDeletion } from '../lib/operations/plan-deletion.ts';

const service = await openService();
const options = { now: Date.now };

export const handler = httpFunction([
  listProjects(service, options),
  ...getProject(service, options),
  ...getSegments(service, options),
  ...getProgress(service, options),
  ...planDeletion(service, options),
  getOperation(service, options),
]);
