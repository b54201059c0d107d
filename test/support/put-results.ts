import type { PutCounts, PutPlan, PutResult } from '../../lib/service/put.ts';

/** The counts of a put that changes a project. */
export const PUT_COUNTS: PutCounts = {
  segments: { kept: 3, changed: 1, added: 2, removed: 0 },
  targetLanguages: { kept: 1, added: 1, removed: 0 },
  automaticCharacters: 40,
};

/** Returns the result of a put, as a service gives it. */
export function putResult(fields: object = {}): PutResult {
  const document = () => Promise.reject(new Error('Nobody asks for the project.'));
  return { outcome: 'update', projectId: 5, customId: 'page', ...PUT_COUNTS, document, ...fields };
}

/** Returns the plan of a put, as a service gives it. */
export function putPlan(fields: object = {}): PutPlan {
  return { outcome: 'update', projectId: 5, digest: 'd', ...PUT_COUNTS, ...fields };
}
