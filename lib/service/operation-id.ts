import { createHash } from 'node:crypto';
import { Problem } from '../contract/problem.ts';

/** The id of the operation that an idempotency key names: a hash, because the key itself must stay secret. */
export function operationIdOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** Adds the operation id if the problem has an unknown outcome and no id yet. */
export function withOperationId(problem: Problem, operationId: string | undefined): Problem {
  const { name, occurrence, cause } = problem;
  if (name !== 'outcome-unknown' || operationId === undefined || occurrence.operationId !== undefined) return problem;
  return new Problem(name, { ...occurrence, operationId }, { cause });
}
