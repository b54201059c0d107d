import { setTimeout as sleep } from 'node:timers/promises';
import type { Reported, TaskTokens } from '../../../lib/service/task-tokens.ts';
import { type TaskContext, TaskFailure, type TaskHandler } from '../../../lib/workflow/task-handler.ts';
import { CliError, UsageError } from '../io.ts';
import { type StateMachineFile, type TaskName, taskOf } from './definition.ts';
import { execute as executeMachine } from './interpreter/execution.ts';
import type { ExecutionEvent } from './interpreter/execution-types.ts';
import { MAX_STATE_BYTES } from './interpreter/state-error.ts';
import type { TaskCallbacks } from './interpreter/task-callbacks.ts';

/** The task functions on this machine. */
export type LocalTasks = Readonly<Record<TaskName, TaskHandler<unknown>>>;

/** How long a task may take, in milliseconds: as long as its function on AWS. */
const TASK_MS = 60_000;

/** The tasks of workflows on this machine, and what reports the tokens of those that wait. */
export interface LocalWorkflow {
  readonly tasks: LocalTasks;
  /** Looks at the projects for which executions wait, and reports what is due. */
  readonly reportWaits: (tokens: TaskTokens) => Promise<unknown>;
}

interface ExecuteOptions {
  readonly workflow: LocalWorkflow;
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
  const { workflow, input, execution, noWait, onState, signal } = options;
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes > MAX_STATE_BYTES) {
    const message = `the input has ${bytes} bytes, and Step Functions takes ${MAX_STATE_BYTES}: put the project into a bucket, and pass it as projectFrom`;
    throw new UsageError(message);
  }
  const ended = new AbortController();
  const reports = tokenReports(workflow.reportWaits, ended.signal);
  const result = await executeMachine(machine, input, {
    machine: name,
    name: execution,
    call: ({ state, function: resource, payload }) => {
      const task = taskOf(state, resource);
      if (task === 'waitForProject') reports.start();
      return asLambda(workflow.tasks[task])(payload);
    },
    onCallbacks: reports.use,
    onEvent: linesTo(onState),
    ...(noWait && { pause: async () => {} }),
    signal,
  });
  ended.abort();
  await reports.ended();
  if ('stopped' in result) throw new CliError('the execution was stopped');
  return result;
}

/** How often the projects for which an execution waits are looked at, in milliseconds. */
const REPORT_MS = 1_000;

/** Reports task tokens to an execution of this process, from its first wait until it ends. */
function tokenReports(reportWaits: LocalWorkflow['reportWaits'], signal: AbortSignal) {
  let running: Promise<void> | undefined;
  let own: TaskCallbacks | undefined;
  const report = (token: string, take: (tokens: TaskCallbacks) => boolean): Reported => {
    if (own && take(own)) return 'taken';
    if (own?.isOwn(token)) return 'gone';
    // The worker keeps the wait: it may be of another execution on this machine.
    throw new CliError('another execution waits for this project');
  };
  const tokens: TaskTokens = {
    succeed: async (token, output) => report(token, (to) => to.succeed(token, JSON.parse(JSON.stringify(output)))),
    fail: async (token, { error, cause }) => report(token, (to) => to.fail(token, error, cause)),
    heartbeat: async (token) => report(token, (to) => to.heartbeat(token)),
  };
  async function run(): Promise<void> {
    while (!signal.aborted) {
      await sleep(REPORT_MS, undefined, { signal }).catch(() => {});
      // Also after a failure: the next look may succeed, and the execution does not need it.
      if (!signal.aborted) await reportWaits(tokens).catch(() => {});
    }
  }
  return {
    use: (reports: TaskCallbacks) => {
      own = reports;
    },
    start: () => {
      running ??= run();
    },
    ended: async () => running,
  };
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
