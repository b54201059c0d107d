import type { ProblemType } from './problems.ts';

/** The problems of a command that creates, puts or deletes, however it reaches Segue. */
const COMMAND_PROBLEMS: readonly ProblemType[] = [
  'malformed-json',
  'invalid-project',
  'invalid-parameter',
  'company-suspended',
  'company-not-found',
  'custom-id-in-use',
  'request-in-progress',
  'project-deleted',
  'idempotency-key-reused',
  'team-without-translator',
  'internal-error',
  'not-supported',
  'upstream-refused',
  'upstream-invalid',
  'upstream-unavailable',
  'unavailable',
  'outcome-unknown',
];

/** The problems of each way to send commands that is not an HTTP operation. */
export const PROBLEMS_BEYOND_HTTP: readonly { readonly name: string; readonly problems: readonly ProblemType[] }[] = [
  {
    name: 'tasks of workflows, in the cause of a failure',
    problems: [...COMMAND_PROBLEMS, 'too-large', 'project-not-found', 'task-not-found'],
  },
  { name: 'lines of manifests, in their results', problems: [...COMMAND_PROBLEMS, 'too-large'] },
  {
    name: 'webhook deliveries, after the 202',
    problems: [...COMMAND_PROBLEMS, 'scope-missing', 'mapping-failed', 'fetch-failed'],
  },
];
