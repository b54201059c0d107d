import { instantOf } from '../contract/date.ts';
import { fieldsOf } from '../contract/pointer.ts';
import type { ProjectFilter } from './port.ts';
import type { ServiceProject } from './project-document.ts';

/** Whether a filter selects by anything. */
export function isSelective(filter: ProjectFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** Whether a project fits a filter. A value that the service leaves out, or that cannot be read, fits no filter. */
export function fits(project: ServiceProject, filter: ProjectFilter): boolean {
  const { state, customIdPrefix, createdAfter, dueBefore, done } = filter;
  const { customId, targetLanguages } = project;
  const entries = Array.isArray(targetLanguages) ? targetLanguages.map((entry) => fieldsOf(entry) ?? {}) : [];
  return (
    (state === undefined || entries.some((entry) => entry['state'] === state)) &&
    (customIdPrefix === undefined || customId?.startsWith(customIdPrefix) === true) &&
    (createdAfter === undefined || isLater(momentOf(project['creationDateUtc']), createdAfter)) &&
    (dueBefore === undefined || isLater(dueBefore, momentOf(project['endDateUtc']))) &&
    (done === undefined || isDone(entries.map((entry) => entry['progress'])) === done)
  );
}

function isLater(one: bigint | undefined, other: bigint | undefined): boolean {
  return one !== undefined && other !== undefined && one > other;
}

function momentOf(date: unknown): bigint | undefined {
  return typeof date === 'string' ? instantOf(date) : undefined;
}

/** Whether every progress is 100; `undefined` if none is below 100, but not all are known. */
function isDone(progresses: readonly unknown[]): boolean | undefined {
  if (progresses.some((progress) => typeof progress === 'number' && progress < 100)) return false;
  const isKnown = progresses.length > 0 && progresses.every((progress) => typeof progress === 'number');
  return isKnown ? true : undefined;
}
