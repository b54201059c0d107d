import { Problem } from '../contract/problem.ts';

/** The problem; where it leaves the outcome open and names no operation to ask, with this one. */
export function namingOperation(problem: Problem, operationId: string | undefined): Problem {
  const { name, occurrence, cause } = problem;
  if (name !== 'outcome-unknown' || operationId === undefined || occurrence.operationId !== undefined) return problem;
  return new Problem(name, { ...occurrence, operationId }, { cause });
}

/** The failures that every service has, in the same words: no answer tells which service gave it. */
export const failures = {
  /** @param deletedAtUtc when it was deleted, where that is still known */
  projectNotFound: (deletedAtUtc?: string) =>
    new Problem('project-not-found', {
      detail: 'The company has no project with this identifier.',
      ...(deletedAtUtc !== undefined && { deletedAtUtc }),
    }),

  taskNotFound: () => new Problem('task-not-found', { detail: 'The project has no task with this id.' }),

  operationNotFound: () =>
    new Problem('operation-not-found', { detail: 'The company has no operation with this identifier.' }),

  customIdInUse: () =>
    new Problem('custom-id-in-use', {
      detail: 'An existing project of the company has this custom id.',
      errors: [{ pointer: '/customId', code: 'in-use', detail: 'Use another custom id, or delete that project.' }],
    }),
};
