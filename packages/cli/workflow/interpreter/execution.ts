import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionEvent, TaskCall } from './execution-types.ts';
import { JSON_PATH } from './json-path-data.ts';
import { evaluator } from './jsonata.ts';
import { jsonataData } from './jsonata-data.ts';
import type { Machine } from './machine.ts';
import { RunStates } from './run-states.ts';
import { StateError } from './state-error.ts';
import { ExecutionCallbacks, type TaskCallbacks } from './task-callbacks.ts';

export interface ExecutionOptions {
  /** The name of the state machine. */
  readonly machine: string;
  /** The name of the execution. */
  readonly name: string;
  /** Calls a function. @throws the error whose name and message are those of the failure */
  readonly call: (call: TaskCall) => Promise<unknown>;
  /** Gets what takes reports of task tokens, before the first state runs. */
  readonly onCallbacks?: (callbacks: TaskCallbacks) => void;
  readonly onEvent?: (event: ExecutionEvent) => void;
  /** Waits, for wait states and before retries. Default: it waits as long as Step Functions does. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Stops the execution: the running tasks finish, and no other starts. */
  readonly signal?: AbortSignal;
}

/** The result of an execution: an output, or an error with its cause. */
export type ExecutionResult =
  | { readonly output: unknown }
  | { readonly error: string; readonly cause: string }
  | { readonly stopped: true };

/** The longest pause in which Node keeps a timer. A longer one is made of several. */
const MAX_PAUSE_MS = 2 ** 31 - 1;

async function realPause(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= MAX_PAUSE_MS) await sleep(Math.min(left, MAX_PAUSE_MS), undefined, { signal });
}

/** Runs a state machine as Step Functions does. It never throws for a failure of a state. */
export async function execute(machine: Machine, input: unknown, options: ExecutionOptions): Promise<ExecutionResult> {
  const { machine: machineName, name, call, onCallbacks, onEvent = () => {}, pause = realPause } = options;
  const jsonata = evaluator();
  const callbacks = new ExecutionCallbacks();
  onCallbacks?.(callbacks);
  /** The calls in progress, which the execution waits for even if their states have ended. */
  const running = new Set<Promise<unknown>>();
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  const run = new RunStates({
    languages: { JSONPath: JSON_PATH, JSONata: jsonataData(jsonata) },
    callbacks,
    onEvent,
    pause,
    call: (task) => {
      const called = call(task);
      const settled = called.catch(() => {}).finally(() => running.delete(settled));
      running.add(settled);
      return called;
    },
  });
  const id = `arn:aws:states:local:000000000000:execution:${machineName}:${name}`;
  const context = {
    Execution: {
      Id: id,
      Input: input,
      Name: name,
      RoleArn: 'arn:aws:iam::000000000000:role/local',
      StartTime: new Date().toISOString(),
      RedriveCount: 0,
    },
    StateMachine: { Id: `arn:aws:states:local:000000000000:stateMachine:${machineName}`, Name: machineName },
  };
  const { timeoutSeconds } = machine;
  const timer =
    timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => stop.abort(TIMED_OUT), Math.min(timeoutSeconds * 1_000, MAX_PAUSE_MS));
  try {
    return { output: await run.machine(machine, input, { variables: {}, context, signal }) };
  } catch (error) {
    if (stop.signal.aborted) return { error: TIMED_OUT.name, cause: TIMED_OUT.message };
    if (signal.aborted) return { stopped: true };
    if (!(error instanceof StateError)) throw error;
    return { error: error.name, cause: error.message };
  } finally {
    clearTimeout(timer);
    await Promise.all(running);
    await jsonata.close();
  }
}

const TIMED_OUT = new StateError('States.Timeout', 'The execution took longer than its TimeoutSeconds.');
