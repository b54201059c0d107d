import type { Problem } from '../contract/problem.ts';
import { type FailureName, failureName } from '../contract/problems.ts';

/** Step Functions keeps causes in the execution's history, so they stay small. */
const MAX_CAUSE_BYTES = 8_000;

/** A problem as Step Functions reads it: Lambda reports the error's name as `Error` and its message as `Cause`. */
export class TaskFailure extends Error {
  override readonly name: FailureName;
  /** Lambda would add the stack trace to the cause. It repeats the message and shows paths of the code. */
  override readonly stack = '';
  readonly problem: Problem;

  /** @param instance the problem's `instance`: the request id of the invocation */
  constructor(problem: Problem, instance: string) {
    super(causeText(problem, instance, MAX_CAUSE_BYTES), { cause: problem });
    this.name = failureName(problem.name);
    this.problem = problem;
  }
}

/** Writes a problem as JSON of at most `maxBytes`: with the number of its faults, and as many of them as fit. */
export function causeText(problem: Problem, instance: string, maxBytes: number): string {
  const { errors = [], ...body } = problem.body('urn:segue:problem', instance);
  const shown = [...errors];
  for (;;) {
    const text = JSON.stringify({ ...body, ...(errors.length > 0 && { errors: shown, faults: errors.length }) });
    if (Buffer.byteLength(text) <= maxBytes || shown.length === 0) return text;
    shown.splice(Math.floor(shown.length / 2));
  }
}
