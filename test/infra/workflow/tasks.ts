import type { ProjectService } from '../../../lib/service/port.ts';
import { createProjectTask } from '../../../lib/workflow/create-project.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project.ts';
import { objectProblems } from '../../../lib/workflow/project-reference.ts';
import type { TaskHandler, TaskOptions } from '../../../lib/workflow/task.ts';
import { contextOf } from '../../lib/http/fixture.ts';
import { heldNow } from '../../lib/support.ts';
import type { Json } from '../../support/projects.ts';
import { BUCKET, EXAMPLE } from './definitions.ts';
import { type Execution, execute, type Work } from './machine.ts';

/** The handlers of the two functions that the example calls, and the bucket that it reads. */
export interface Tasks {
  readonly createProject: TaskHandler<unknown>;
  readonly deleteProject: TaskHandler<unknown>;
  /** Puts an object. */
  put(key: string, content: string): void;
}

/** The tasks on a service, with the clock held unless a test has another one. */
export function tasksOn(service: ProjectService, { now = heldNow }: Partial<TaskOptions> = {}): Tasks {
  const options = { now, log: () => {}, requireCompany: async () => {} };
  const objects = new Map<string, string>();
  return {
    createProject: createProjectTask(service, {
      ...options,
      readObject: async ({ bucket, key }) => {
        const content = bucket === BUCKET ? objects.get(key) : undefined;
        if (content === undefined) throw objectProblems.notReadable();
        return Buffer.from(content);
      },
    }),
    deleteProject: deleteProjectTask(service, options),
    put: (key, content) => objects.set(key, content),
  };
}

/** What the example is run with: the project, which is put into the bucket first. */
export interface ExampleInput {
  readonly project: Json;
  readonly taskId: Json;
}

/** Runs the example with its tasks. */
export function run(tasks: Tasks, { project, ...input }: ExampleInput & { [more: string]: Json }): Promise<Execution> {
  const key = 'projects/one.json';
  tasks.put(key, JSON.stringify(project));
  return execute(EXAMPLE, workOf(tasks), { key, ...input });
}

/** The function of a task, by the name of its state. */
export function workOf({ createProject, deleteProject }: Tasks): (state: string) => Work {
  return (state) => (command) => (state.startsWith('Create') ? createProject : deleteProject)(command, contextOf());
}
