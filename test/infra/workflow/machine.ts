import { randomUUID } from 'node:crypto';
import { StateMachine } from 'aws-local-stepfunctions';
import type { Json } from '../../support/projects.ts';
import type { Definition, State } from './definitions.ts';

/** How an execution went: its output or the name it failed with, and the names that its states failed with. */
export interface Execution {
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
  readonly failures: readonly string[];
  readonly retries: readonly string[];
  readonly visited: readonly string[];
  /** Every event of it, as the history of an execution keeps it. */
  readonly history: readonly object[];
}

/** What the function of a state does. */
export type Work = (command: unknown) => Promise<unknown>;

/**
 * Runs a state machine under an interpreter, without waiting anywhere.
 * @param workOf the function of the task of a name
 */
export async function execute(
  definition: Definition,
  workOf: (state: string) => Work,
  input: Json,
  executionId: string = randomUUID(),
): Promise<Execution> {
  const named = (type: string) => statesOf(definition).flatMap(([name, state]) => (state.Type === type ? [name] : []));
  const tasks = named('Task');
  const atOnce = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
  // Between states there is only JSON.
  const handlers = tasks.map((name) => [name, async (command: unknown) => overTheWire(await workOf(name)(command))]);
  const execution = interpreterOf(definition).run(input, {
    context: { Execution: { Id: `arn:execution:${executionId}` } },
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(handlers),
      retryIntervalOverrides: atOnce(tasks),
      waitTimeOverrides: atOnce(named('Wait')),
    },
  });
  const ended = execution.result.then(
    (output) => ({ output }),
    () => ({}),
  );
  const failures: string[] = [];
  const retries: string[] = [];
  const visited: string[] = [];
  const history: object[] = [];
  let failed: { error?: string; cause?: string } = {};
  for await (const event of execution.eventLogs) {
    history.push(event);
    if (event.type === 'StateEntered') visited.push(event.state.name);
    if (event.type === 'StateFailed') failures.push(event.Error);
    if (event.type === 'StateRetried') retries.push(event.state.name);
    if (event.type === 'ExecutionFailed') failed = { error: event.Error, cause: String(event.Cause) };
  }
  return { ...(await ended), ...failed, failures, retries, visited, history };
}

/** Every state with its name, those in maps too. */
export function statesOf({ States }: Definition): (readonly [name: string, state: State])[] {
  return Object.entries(States).flatMap(([name, state]) => [
    [name, state] as const,
    ...Object.entries(state.ItemProcessor?.States ?? {}),
  ]);
}

const interpreters = new WeakMap<Definition, StateMachine>();

/** Made once for a definition, since that checks it, which takes longer than running it. */
function interpreterOf(definition: Definition): StateMachine {
  const interpreter = interpreters.get(definition) ?? new StateMachine(JSON.parse(JSON.stringify(definition)));
  interpreters.set(definition, interpreter);
  return interpreter;
}

function overTheWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
