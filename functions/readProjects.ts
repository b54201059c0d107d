import { service } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { getOperation } from '../lib/http/operations/get-operation.ts';
import { getProgress, getProgressByCustomId } from '../lib/http/operations/get-progress.ts';
import { getProject, getProjectByCustomId } from '../lib/http/operations/get-project.ts';
import { getSegments, getSegmentsByCustomId } from '../lib/http/operations/get-segments.ts';
import { listProjects } from '../lib/http/operations/list-projects.ts';
import { planDeletion, planDeletionByCustomId } from '../lib/http/operations/plan-deletion.ts';

const options = { now: Date.now };

export const handler = httpFunction('readProjects', {
  listProjects: listProjects(service, options),
  getProject: getProject(service, options),
  getProjectByCustomId: getProjectByCustomId(service, options),
  getSegments: getSegments(service, options),
  getSegmentsByCustomId: getSegmentsByCustomId(service, options),
  getProgress: getProgress(service, options),
  getProgressByCustomId: getProgressByCustomId(service, options),
  planDeletion: planDeletion(service, options),
  planDeletionByCustomId: planDeletionByCustomId(service, options),
  getOperation: getOperation(service, options),
});
