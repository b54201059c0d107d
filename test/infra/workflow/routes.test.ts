import { JsonPath, Pass, TaskInput } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import { CreateProjectTask, DeleteProjectTask } from '../../../infra/index.ts';
import { failureName } from '../../../lib/contract/failure-names.ts';
import { PROBLEM_TYPES } from '../../../lib/contract/problems.ts';
import type { Json } from '../../support/projects.ts';
import { type Definition, definitionOf, EXAMPLE, tasksIn } from './definitions.ts';
import { NAMES, NOT_NOW, OPEN, TERMINAL } from './failure-names.ts';
import { execute, statesOf } from './machine.ts';

const isOwn = (name: string) => name.startsWith('Segue.');

/** Where each class of failures leads to, from a task of this name. */
interface Expected {
  readonly task: string;
  readonly Terminal: string;
  readonly Retryable: string;
  readonly Unknown: string;
  /** Terminal failures that have a state of their own. */
  readonly own?: Readonly<Record<string, string>>;
}

/** How often a failure is tried again in a state, and the state that comes then. */
type Route = readonly [retries: number, next: string];

function routeOf(name: string, { task, Terminal, Retryable, Unknown, own = {} }: Expected, isFirst: boolean): Route {
  if (TERMINAL.some((terminal) => terminal === name)) return [0, own[name] ?? Terminal];
  if (NOT_NOW.includes(name)) return isFirst ? [6, Retryable] : [8, Unknown];
  if (isFirst) return [0, `${task}Wait`];
  return [OPEN.includes(name) ? 8 : 0, Unknown];
}

interface Machine {
  readonly definition: Definition;
  readonly input: Json;
  readonly tasks: readonly Expected[];
}

const deleting = { Terminal: 'NotDeleted', Retryable: 'NotNow', Unknown: 'DeletionToLookUp' };
const ends = { Terminal: 'Terminal', Retryable: 'Retryable', Unknown: 'Unknown' };
const project = { name: 'A project' };

const MACHINES: Readonly<Record<string, Machine>> = {
  'the example': {
    definition: EXAMPLE,
    input: { key: 'one.json', taskId: 'a' },
    tasks: [
      {
        task: 'CreateProject',
        Terminal: 'NotCreated',
        Retryable: 'NotNow',
        Unknown: 'ProjectToLookUp',
        own: {
          'Segue.Terminal.invalid-project': 'ProjectToCorrect',
          'Segue.Terminal.malformed-json': 'ProjectToCorrect',
          'Segue.Terminal.team-without-translator': 'TeamToComplete',
          'Segue.Terminal.custom-id-in-use': 'CustomIdInUse',
        },
      },
      { task: 'DeleteTask', ...deleting },
      { task: 'DeleteProject', ...deleting },
    ],
  },
  CreateProjectTask: {
    definition: await definitionOf((stack) => {
      const failures = {
        Terminal: new Pass(stack, 'Terminal'),
        Retryable: new Pass(stack, 'Retryable'),
        Unknown: new Pass(stack, 'Unknown'),
      };
      const { createProject } = tasksIn(stack);
      const project = TaskInput.fromJsonPathAt('$.project');
      return new CreateProjectTask(stack, 'Create', { createProject, companyId: 'acme', project, failures });
    }),
    input: { project },
    tasks: [{ task: 'Create', ...ends }],
  },
  DeleteProjectTask: {
    definition: await definitionOf((stack) => {
      const failures = {
        Terminal: new Pass(stack, 'Terminal'),
        Retryable: new Pass(stack, 'Retryable'),
        Unknown: new Pass(stack, 'Unknown'),
      };
      const { deleteProject } = tasksIn(stack);
      const customId = JsonPath.stringAt('$.customId');
      const deletion = { deleteProject, companyId: 'acme', customId, scope: 'project', failures } as const;
      return new DeleteProjectTask(stack, 'Delete', deletion);
    }),
    input: { customId: 'x' },
    tasks: [{ task: 'Delete', ...ends }],
  },
};

/** Runs a machine in which everything succeeds but for these states, which always fail with these names. */
function failing({ definition, input }: Machine, names: Readonly<Record<string, string>>) {
  const workOf = (state: string) => async () => {
    const name = names[state];
    if (name !== undefined) throw Object.assign(new Error('The cause.'), { name });
    return { projectId: 5 };
  };
  return execute(definition, workOf, input);
}

describe('every failure has a route', () => {
  it('of the problems, none is left out', () => {
    expect(NAMES.filter(isOwn).sort()).toEqual(PROBLEM_TYPES.map(failureName).sort());
  });

  describe.each(Object.entries(MACHINES))('of %s', (_, machine) => {
    const { definition, tasks } = machine;

    it('every state that can fail is one of a task', () => {
      const states = statesOf(definition).flatMap(([name, { Type }]) => (Type === 'Task' ? [name] : []));
      expect(states.sort()).toEqual(tasks.flatMap(({ task }) => [task, `${task}Reconcile`]).sort());
    });

    for (const expected of tasks) {
      const first = expected.task;
      const second = `${first}Reconcile`;

      it.each(NAMES)(`${first}: %s`, async (name) => {
        const { visited, retries } = await failing(machine, { [first]: name });
        const [count, next] = routeOf(name, expected, true);
        expect(retries.filter((state) => state === first)).toHaveLength(count);
        expect(visited[visited.indexOf(first) + 1]).toBe(next);
      });

      it.each(NAMES)(`${second}: %s`, async (name) => {
        const unknown = 'Segue.Unknown.outcome-unknown';
        const { visited, retries } = await failing(machine, { [first]: unknown, [second]: name });
        const [count, next] = routeOf(name, expected, false);
        expect(visited.slice(visited.indexOf(first), -1)).toEqual([first, `${first}Wait`, second]);
        expect(retries).toEqual(Array(count).fill(second));
        expect(visited.at(-1)).toBe(next);
      });
    }
  });

  it.each([
    ['CreateProjectTask', { project }],
    ['DeleteProjectTask', { customId: 'x' }],
  ])('%s hands on what it was given, with the failure', async (name, given) => {
    const machine = MACHINES[name];
    if (!machine) throw new RangeError(name);
    const [{ task = '' } = {}] = machine.tasks;
    const failure = { Error: 'Segue.Terminal.upstream-refused', Cause: 'The cause.' };
    expect((await failing(machine, { [task]: failure.Error })).output).toEqual({ ...given, failure });
    const again = { [task]: 'Lambda.Unknown', [`${task}Reconcile`]: failure.Error };
    expect((await failing(machine, again)).output).toEqual({ ...given, failure });
  });
});
