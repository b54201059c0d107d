import { checkProject } from '../../../lib/contract/check.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import type { Call } from '../../../lib/service/port.ts';
import { type JsonObject, smallProject } from '../../support/projects.ts';
import * as world from './world.ts';

/** For tests in which time passes by itself: a call with the time of API Gateway. */
export const call: Call = {
  companyId: 'company',
  requestId: 'request',
  requestedBy: { kind: 'workflow', id: null },
  deadline: { remainingMs: () => 29_000 },
};

/** A project that passed the checks just now. */
export function checked(fields: JsonObject = {}): CheckedProject {
  return checkProject(smallProject(fields), { nowMs: Date.now(), toleranceMs: LIMITS.startDateToleranceMs });
}

/** What a service that keeps the contract answers just now. */
export function answered(project: CheckedProject, id?: number): Project {
  return world.answered(project, id, Date.now());
}
