import type { ProblemType } from '../contract/problems.ts';

/** The problems of an upstream service that a read can answer with. */
export const READ_UPSTREAM = ['upstream-refused', 'upstream-invalid', 'upstream-unavailable'] as const;
/** The problems of an upstream service that a change can answer with. */
export const CHANGED_UPSTREAM = [...READ_UPSTREAM, 'outcome-unknown'] as const;
/** The problems of every operation that accepts an idempotency key. */
export const WITH_KEY = ['invalid-header', 'request-in-progress', 'idempotency-key-reused'] as const;
/** The problems of every operation with a JSON body. */
export const BODY = ['malformed-json', 'unsupported-media-type', 'too-large'] as const;
/** The problems of an operation on a project or a task, without a body. */
export const NOT_FOUND = ['project-not-found', 'task-not-found', 'unexpected-body', 'content-lost'] as const;

/** A read with credentials. */
export const READ = { method: 'GET', scope: 'read', body: 'none' } as const;

/** A change of the work on a project, which only the hosted service has. */
export const CHANGE = {
  function: 'changeTranslations',
  method: 'PATCH',
  scope: 'translate',
  query: [],
} as const;
/** The problems of every such change, without those of its body. */
export const CHANGE_PROBLEMS = [
  'project-not-found',
  ...WITH_KEY,
  'project-deleted',
  'content-lost',
  'not-supported',
  'outcome-unknown',
] as const satisfies readonly ProblemType[];

/** An exchange of credentials for tokens. */
export const SIGN_IN = { function: 'tokens', method: 'POST', scope: null, query: [] } as const;
