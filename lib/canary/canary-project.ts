import { utc } from '../contract/date.ts';
import type { ProjectRequest } from '../contract/project.ts';

/** The project that a run creates, and starts when it is sent. */
export type CanaryProject = Omit<ProjectRequest, 'startDateUtc'> & { readonly customId: string };

/** The beginning of the custom ids of all projects of the canary. No other project of its company may have it. */
export const CANARY_PREFIX = 'canary-';

/** The content of the canary's project. It has no person and no service, so nobody gets work or e-mails. */
export const CANARY_CONTENT = 'The canary sings.';

/** Returns the custom id of a project that a run creates. @param nowMs the time of the run */
function canaryCustomId(nowMs: number): string {
  return `${CANARY_PREFIX}${nowMs}`;
}

/** Returns when the run that created a project began, in milliseconds since 1970; `NaN` for an odd custom id. */
export function runOf(customId: string): number {
  return Number(customId.slice(CANARY_PREFIX.length));
}

/** Returns the smallest project, which ends an hour after the run. */
export function canaryProject(nowMs: number): CanaryProject {
  return {
    name: 'Canary',
    customId: canaryCustomId(nowMs),
    endDateUtc: utc(nowMs + 3_600_000),
    sourceLanguageCode: 'en-US',
    targetLanguages: [{ targetLanguageCode: 'de-DE' }],
    segments: [{ content: CANARY_CONTENT }],
  };
}
