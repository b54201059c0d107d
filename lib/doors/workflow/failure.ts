import type { Problem } from '../../contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../contract/problems.ts';

/** What a workflow should do about a failure: try again, find out what happened, or give up. */
type Class = 'Retryable' | 'Unknown' | 'Terminal';

/** A failure's name in a state machine: `Segue.<class>.<problem type>`, for `Retry` and `Catch`. */
export type TaskFailureName = `Segue.${Class}.${ProblemType}`;

/** The name a problem has in `ErrorEquals`. */
export function failureName(type: ProblemType): TaskFailureName {
  const { retryable, outcome } = PROBLEMS[type];
  return `Segue.${retryable ? 'Retryable' : outcome === 'unknown' ? 'Unknown' : 'Terminal'}.${type}`;
}

/** Step Functions keeps the cause of a failure in the execution's history. */
const MOST_CAUSE_BYTES = 8_000;

/** A problem as Step Functions takes it: Lambda reports the error's name and its message. */
export class TaskFailure extends Error {
  override readonly name: TaskFailureName;
  readonly problem: Problem;

  /** @param instance what the failure is told by: the execution's request id */
  constructor(problem: Problem, instance: string) {
    super(causeText(problem, instance, MOST_CAUSE_BYTES), { cause: problem });
    this.name = failureName(problem.name);
    this.problem = problem;
  }
}

/** The problem as JSON, with as many of its faults as there is room for, and their number. */
export function causeText(problem: Problem, instance: string, mostBytes: number): string {
  const { errors = [], ...body } = problem.body('urn:segue:problem', instance);
  const shown = [...errors];
  for (;;) {
    const text = JSON.stringify({ ...body, ...(errors.length > 0 && { errors: shown, faults: errors.length }) });
    if (Buffer.byteLength(text) <= mostBytes || shown.length === 0) return text;
    shown.splice(Math.floor(shown.length / 2));
  }
}
