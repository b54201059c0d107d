import type { StateMachine } from 'aws-local-stepfunctions';
import { TaskFailure, type TaskHandler } from '../../lib/workflow/task.ts';
import { CliError } from '../io.ts';
import type { StateMachineFile, TaskName } from './definition.ts';

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
 * @throws {CliError} if the definition is invalid, or the interpreter is not installed
 */
export async function execute(file: StateMachineFile, options: ExecuteOptions): Promise<Executed> {
  const { tasks, input, execution, noWait, onState, signal } = options;
  const atOnce = (names: Iterable<string>) =>
    noWait ? Object.fromEntries(Array.from(names, (name) => [name, 0])) : {};
  const machine = await interpreterOf(file.text);
  const handlers = Array.from(file.tasks, ([state, name]) => [state, asLambda(tasks[name])]);
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
  let failed: Executed | undefined;
  // A state whose failure is caught ends, too.
  const caught = new Set<string>();
  for await (const event of run.eventLogs) {
    if (event.type === 'StateExited' && !caught.delete(event.state.name)) onState(`${event.state.name}: done`);
    if (event.type === 'StateRetried') onState(`${event.state.name}: runs again`);
    if (event.type === 'StateCaught') caught.add(event.state.name);
    if (event.type === 'StateFailed') onState(`${event.state.name}: ${event.Error}`);
    if (event.type === 'ExecutionFailed') failed = { error: event.Error, cause: String(event.Cause ?? '') };
  }
  if (signal.aborted) throw new CliError('the execution was stopped');
  return failed ?? { output: await output };
}

async function interpreterOf(text: string): Promise<StateMachine> {
  const { StateMachine: Interpreter } = await import('aws-local-stepfunctions').catch((cause: unknown) => {
    throw new CliError('an interpreter is missing: run npm install aws-local-stepfunctions', { cause });
  });
  try {
    return new Interpreter(JSON.parse(text), { validationOptions: { checkArn: false } });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : '';
    throw new CliError(`the definition is invalid: ${detail}`, { exitCode: 2, cause });
  }
}

/** Runs a task as Lambda does: only JSON passes, and a failure has the cause that Step Functions shows. */
function asLambda(task: TaskHandler<unknown>) {
  return async (input: unknown) => {
    const beganMs = Date.now();
    const context = {
      awsRequestId: crypto.randomUUID(),
      getRemainingTimeInMillis: () => TASK_MS - (Date.now() - beganMs),
    };
    try {
      return JSON.parse(JSON.stringify(await task(input, context)));
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      const { name, message } = error;
      throw Object.assign(new Error(JSON.stringify({ errorType: name, errorMessage: message, trace: [] })), { name });
    }
  };
}
