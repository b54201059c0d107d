import { creation } from '../idempotency/requests/create-project.ts';
import { deletion } from '../idempotency/requests/delete-project.ts';
import { putting } from '../idempotency/requests/put-project.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import { documentOf } from '../service/project-document.ts';
import type { UpstreamDeps } from './deps.ts';
import { readProject } from './read-projects.ts';

/** Returns what requests with an idempotency key need, with every kind of request that has one. */
export function keyedDeps(deps: UpstreamDeps) {
  const read = async (ref: ProjectRef, call: CallContext) => documentOf(await readProject(deps, ref, undefined, call));
  const [create, put] = [creation(read), putting(read)];
  const { storage, now } = deps;
  return { storage, now, operations: [create, put, deletion], alwaysClaims: true, create, put };
}
