import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StateMachine } from 'aws-local-stepfunctions';
import { createProjectTask } from '../../lib/doors/workflow/create-project.ts';
import { deleteProjectTask } from '../../lib/doors/workflow/delete-project.ts';
import type { TaskHandler, TaskOptions } from '../../lib/doors/workflow/task.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { contextOf } from '../lib/doors/http/fixture.ts';
import { NOW_MS } from '../lib/support.ts';
import type { Json } from '../support/projects.ts';

const EXAMPLE = new URL('../../examples/workflow/create-and-delete.asl.json', import.meta.url);
const arn = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;

/** The example's text, with the definition substitutions of a deployment. */
export function definitionFor(companyId: string): string {
  const values: Readonly<Record<string, string>> = {
    CompanyId: companyId,
    CreateProjectTaskArn: arn('createProjectTask'),
    DeleteProjectTaskArn: arn('deleteProjectTask'),
  };
  return readFileSync(EXAMPLE, 'utf8').replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** How an execution went: its output or the name it failed with, and the names that its states failed with. */
export interface Execution {
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
  readonly failures: readonly string[];
  readonly retries: readonly string[];
  readonly visited: readonly string[];
}

/** The handlers of the two functions that the example calls. */
export interface Tasks {
  readonly createProject: TaskHandler<unknown>;
  readonly deleteProject: TaskHandler<unknown>;
}

/** The tasks on a service, with the clock held unless a test has another one. */
export function tasksOn(service: ProjectService, { now = () => NOW_MS }: TaskOptions = {}): Tasks {
  const options = { now, log: () => {} };
  return { createProject: createProjectTask(service, options), deleteProject: deleteProjectTask(service, options) };
}

/** Runs the example with its tasks, without waiting between attempts. */
export async function run(
  { createProject, deleteProject }: Tasks,
  input: Json,
  companyId = 'acme',
): Promise<Execution> {
  const machine = new StateMachine(JSON.parse(definitionFor(companyId)));
  const tasks = { CreateProject: createProject, DeleteTask: deleteProject, DeleteProject: deleteProject };
  const handlers = Object.entries(tasks).map(([state, handler]) => {
    // Between states there is only JSON.
    return [state, async (command: unknown) => JSON.parse(JSON.stringify(await handler(command, contextOf())))];
  });
  const execution = machine.run(input, {
    // As Step Functions fills it in; the example asks for the name of one state only.
    context: { Execution: { Id: `arn:execution:${randomUUID()}` }, State: { Name: 'CreateProject' } },
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(handlers),
      retryIntervalOverrides: { CreateProject: 0, DeleteTask: 0, DeleteProject: 0 },
    },
  });
  const ended = execution.result.then(
    (output) => ({ output }),
    () => ({}),
  );
  const failures: string[] = [];
  const retries: string[] = [];
  const visited: string[] = [];
  let failed: { error?: string; cause?: string } = {};
  for await (const event of execution.eventLogs) {
    if (event.type === 'StateEntered') visited.push(event.state.name);
    if (event.type === 'StateFailed') failures.push(event.Error);
    if (event.type === 'StateRetried') retries.push(event.state.name);
    if (event.type === 'ExecutionFailed') failed = { error: event.Error, cause: String(event.Cause) };
  }
  return { ...(await ended), ...failed, failures, retries, visited };
}
