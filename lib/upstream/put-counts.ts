import type { CheckedProject } from '../contract/project.ts';
import type { DonePut } from '../idempotency/requests/put-project.ts';
import { creationCounts } from '../service/creation-counts.ts';
import type { PutCounts } from '../service/put.ts';
import type { CreateIntent, PutIntent } from './open-operations.ts';

/** Makes the intent of a put that creates a project. The characters are those that the service's engine may translate. */
export function intentOfPut(project: CheckedProject, revision: number | undefined): PutIntent {
  const { segments, targetLanguages, automaticCharacters } = creationCounts(project);
  return {
    segments: segments.added,
    targetLanguages: targetLanguages.added,
    automaticCharacters,
    ...(revision !== undefined && { revision }),
  };
}

/** Returns the counts of a put that has created a project, from its intent. */
export function createdCounts({ segments, targetLanguages, automaticCharacters }: PutIntent): PutCounts {
  return {
    segments: { kept: 0, changed: 0, added: segments, removed: 0 },
    targetLanguages: { kept: 0, added: targetLanguages, removed: 0 },
    automaticCharacters,
  };
}

/** Returns the counts of a put that changes nothing. */
export function keptCounts({ segments, targetLanguages }: CheckedProject): PutCounts {
  return {
    segments: { kept: segments.length, changed: 0, added: 0, removed: 0 },
    targetLanguages: { kept: targetLanguages.length, added: 0, removed: 0 },
    automaticCharacters: 0,
  };
}

/** Returns what is recorded of a put that has created a project; `undefined` if the creation is no put. */
export function createdPut(projectId: number, { customId, put }: CreateIntent): DonePut | undefined {
  return put && { outcome: 'create', projectId, customId, ...createdCounts(put) };
}
