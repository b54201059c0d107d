import { checkProject } from '../../contract/check.ts';
import { utc } from '../../contract/date.ts';
import { fieldsOf } from '../../contract/pointer.ts';
import type { CheckedProject } from '../../contract/project.ts';
import type { Call, ProjectService } from '../port.ts';

/** What whoever sends commands gets to know of a project that was made: nothing that grows with it. */
export interface CreatedProject {
  readonly projectId: number;
  /** How many it has; null if another service does not show them. */
  readonly segments: number | null;
  readonly targetLanguages: number | null;
}

/**
 * Creates the project of a command. A start date that is left out is the time of the attempt.
 * @param project unchecked
 * @throws {Problem} `invalid-project`, `team-without-translator`, and as `create` of the service does
 */
export async function createProject(
  service: ProjectService,
  project: unknown,
  call: Call,
  nowMs: number,
): Promise<CreatedProject> {
  const { id, segments, targetLanguages } = await service.create(readProject(service, project, nowMs), call);
  return { projectId: id, segments, targetLanguages };
}

/**
 * Checks the project of a command as far as that needs only the command. A start date that is left out is the time of
 * the attempt.
 * @throws {Problem} `invalid-project`, `team-without-translator`
 */
export function readProject(
  { startDateToleranceMs }: Pick<ProjectService, 'startDateToleranceMs'>,
  project: unknown,
  nowMs: number,
): CheckedProject {
  const clock = { nowMs, toleranceMs: startDateToleranceMs };
  const fields = Array.isArray(project) ? undefined : fieldsOf(project);
  if (!fields || (fields['startDateUtc'] ?? null) !== null) return checkProject(project, clock);
  return checkProject({ ...fields, startDateUtc: utc(nowMs) }, { ...clock, isStamped: true });
}
