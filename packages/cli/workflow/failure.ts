import * as z from 'zod/mini';
import { CliError, tryParseJson } from '../io.ts';

/** The cause of a failed task, as Lambda gives it to Step Functions. */
const TaskCause = z.object({ errorType: z.string(), errorMessage: z.string() });
const TaskProblem = z.object({
  detail: z.string(),
  errors: z.optional(z.array(z.object({ pointer: z.string(), detail: z.string() }))),
});

/** Returns the failure of an execution. The cause of a failed task is its problem, with a line for each fault. */
export function failureOf({ error, cause }: { readonly error: string; readonly cause: string }): CliError {
  const { errorType, errorMessage } = TaskCause.safeParse(tryParseJson(cause)).data ?? {
    errorType: error,
    errorMessage: cause,
  };
  const problem = TaskProblem.safeParse(tryParseJson(errorMessage)).data;
  const name = errorType === error ? error : `${error} (${errorType})`;
  const faults = (problem?.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}\n`).join('');
  return new CliError(`the execution failed with ${name}: ${problem?.detail ?? errorMessage}`, { faults });
}
