import { setImmediate } from 'node:timers/promises';
import type { StateMachine } from 'aws-local-stepfunctions';
import { type TaskContext, TaskFailure, type TaskHandler } from '../../../lib/workflow/task-handler.ts';
import { CliError, UsageError } from '../io.ts';
import type { StateMachineFile, TaskName } from './definition.ts';

/** The task functions on this machine. */
export type LocalTasks = Readonly<Record<TaskName, TaskHandler<unknown>>>;

/** How long a task may take, in milliseconds: as long as its function on AWS. */
const TASK_MS = 60_000;
/** The most bytes of an execution's input, and of the input and output of a state. */
const MAX_BYTES = 262_144;

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
 * @throws {CliError} if the definition is invalid, the input is too large, or the interpreter is not installed
 */
export async function execute(file: StateMachineFile, options: ExecuteOptions): Promise<Executed> {
  const { tasks, input, execution, noWait, onState, signal } = options;
  const atOnce = (names: Iterable<string>) =>
    noWait ? Object.fromEntries(Array.from(names, (name) => [name, 0])) : {};
  const machine = await interpreterOf(file.text);
  const bytes = bytesOf(input);
  if (bytes > MAX_BYTES) {
    const message = `the input has ${bytes} bytes, and Step Functions takes ${MAX_BYTES}: put the project into a bucket, and pass it as projectFrom`;
    throw new UsageError(message);
  }
  let failed: Executed | undefined;
  /** Fails the execution if a state passes on too much. No state can catch this. */
  const limit = (state: string, what: 'input' | 'output', value: unknown) => {
    if (failed !== undefined || bytesOf(value ?? null) <= MAX_BYTES) return;
    failed = {
      error: 'States.DataLimitExceeded',
      cause: `The ${what} of the state ${state} has more than ${MAX_BYTES} bytes.`,
    };
    run.abort();
  };
  const handlers = Array.from(file.tasks, ([state, name]) => {
    const task = asLambda(tasks[name]);
    const limited = async (payload: unknown) => {
      // The states before are checked first.
      await setImmediate();
      limit(state, 'input', payload);
      return failed === undefined ? task(payload) : null;
    };
    return [state, limited];
  });
  const run = machine.run(JSON.parse(JSON.stringify(input)), {
    context: { Execution: { Id: `arn:aws:states:local:000000000000:execution:${file.name}:${execution}` } },
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(handlers),
      retryIntervalOverrides: atOnce(file.tasks.keys()),
      waitTimeOverrides: atOnce(file.waits),
    },
  });
  signal.addEventListener('abort', () => run.abort());
  const output = run.result.catch(() => undefined);
  // A state whose failure is caught ends, too.
  const caught = new Set<string>();
  for await (const event of run.eventLogs) {
    if (event.type === 'StateEntered') limit(event.state.name, 'input', event.state.input);
    if (event.type === 'StateExited') limit(event.state.name, 'output', event.state.output);
    if (failed !== undefined) break;
    if (event.type === 'StateExited' && !caught.delete(event.state.name)) onState(`${event.state.name}: done`);
    if (event.type === 'StateRetried') onState(`${event.state.name}: runs again`);
    if (event.type === 'StateCaught') caught.add(event.state.name);
    if (event.type === 'StateFailed') onState(`${event.state.name}: ${event.Error}`);
    if (event.type === 'ExecutionFailed') failed = { error: event.Error, cause: String(event.Cause ?? '') };
  }
  if (signal.aborted) throw new CliError('the execution was stopped');
  return failed ?? { output: await output };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

async function interpreterOf(text: string): Promise<StateMachine> {
  const { StateMachine: Interpreter } = await import('aws-local-stepfunctions').catch((cause: unknown) => {
    throw new CliError('an interpreter is missing: run npm install aws-local-stepfunctions', { cause });
  });
  try {
    return new Interpreter(JSON.parse(text), { validationOptions: { checkArn: false } });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : '';
    throw new UsageError(`the definition is invalid: ${detail}`, { cause });
  }
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
