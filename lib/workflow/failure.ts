import { type FailureName, failureName } from '../contract/failure-names.ts';
import type { Problem } from '../contract/problem.ts';

/** Step Functions keeps the cause of a failure in the execution's history. */
const MOST_CAUSE_BYTES = 8_000;

/** A problem as Step Functions takes it: Lambda reports the error's name and its message. */
export class TaskFailure extends Error {
  override readonly name: FailureName;
  /** Lambda would put it beside the message: it says that once more, and where the code is. */
  override readonly stack = '';
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
