import type { TaskHandler } from '../../../lib/workflow/task.ts';
import { TaskFailure } from '../../../lib/workflow/task-failure.ts';
import { contextOf } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';

/** Every company exists. */
export const options = { now: () => NOW_MS, log: () => {}, requireCompany: async () => {} };

/** Runs a task and says what it failed with: its name, and its cause as a value. */
export async function failureOf(handler: TaskHandler<unknown>, input: unknown) {
  const failure: unknown = await handler(input, contextOf()).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof TaskFailure)) throw new Error(`The task did not fail as it should: ${failure}`);
  return { name: failure.name, message: failure.message, cause: JSON.parse(failure.message) };
}
