import { type TaskContext, TaskFailure, type TaskHandler } from '../../../lib/workflow/task-handler.ts';
import { CliError, UsageError } from '../io.ts';
import { type StateMachineFile, type TaskName, taskOf } from './definition.ts';
import { execute as executeMachine } from './interpreter/execution.ts';
import type { ExecutionEvent } from './interpreter/execution-types.ts';
import { MAX_STATE_BYTES } from './interpreter/run-states.ts';

/** The task functions on this machine. */
export type LocalTasks = Readonly<Record<TaskName, TaskHandler<unknown>>>;

/** How long a task may take, in milliseconds: as long as its function on AWS. */
const TASK_MS = 60_000;

interface ExecuteOptions {
  readonly tasks: LocalTasks;
  readonly input: unknown;
  /** The name of the execution. With the same name, each task takes effect once. */
  readonly execution: string;
  /** Whether to leave out all pauses: those of states, and those before retries. */
  readonly noWait: boolean;
  /** Receives a line for each state that ended. */
  readonly onState: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The result of an execution: an output, or an error with its cause. */
export type Executed = { readonly output: unknown } | { readonly error: string; readonly cause: string };

/**
 * Runs a state machine on this machine, as Step Functions does.
 * @throws {CliError} if the input is too large, or the execution was stopped
 */
export async function execute({ name, machine }: StateMachineFile, options: ExecuteOptions): Promise<Executed> {
  const { tasks, input, execution, noWait, onState, signal } = options;
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_STATE_BYTES) {
    const message = `the input has ${bytes} bytes, and Step Functions takes ${MAX_STATE_BYTES}: put the project into a bucket, and pass it as projectFrom`;
    throw new UsageError(message);
  }
  const result = await executeMachine(machine, input, {
    machine: name,
    name: execution,
    call: ({ state, function: resource, payload }) => asLambda(tasks[taskOf(state, resource)])(payload),
    onEvent: linesTo(onState),
    ...(noWait && { pause: async () => {} }),
    signal,
  });
  if ('stopped' in result) throw new CliError('the execution was stopped');
  return result;
}

/** Returns a function that writes a line for each state that ended. */
function linesTo(write: (line: string) => void): (event: ExecutionEvent) => void {
  // A state whose failure is caught ends, too.
  const caught = new Set<string>();
  return (event) => {
    const { type, state } = event;
    if (type === 'exited' && !caught.delete(state)) write(`${state}: done`);
    if (type === 'retried') write(`${state}: runs again`);
    if (type === 'caught') caught.add(state);
    if (type === 'failed') write(`${state}: ${event.error}`);
  };
}

/** Creates the context that Lambda passes to a task. @param limitMs the time limit of the task */
export function lambdaContext(limitMs: number): TaskContext {
  const endsAtMs = performance.now() + limitMs;
  return { awsRequestId: crypto.randomUUID(), getRemainingTimeInMillis: () => endsAtMs - performance.now() };
}

/** Runs a task as Lambda does: only JSON passes, and a failure has the cause that Step Functions shows. */
function asLambda(task: TaskHandler<unknown>) {
  return async (input: unknown) => {
    try {
      return JSON.parse(JSON.stringify(await task(input, lambdaContext(TASK_MS))));
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      const { name, message } = error;
      throw Object.assign(new Error(JSON.stringify({ errorType: name, errorMessage: message, trace: [] })), { name });
    }
  };
}
