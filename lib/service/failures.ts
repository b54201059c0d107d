import { Problem } from '../contract/problem.ts';

/** Problems that every service has. Their texts are the same for all, so that no answer shows which service gave it. */
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
