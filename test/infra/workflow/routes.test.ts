import { describe, expect, it } from 'vitest';
import { failureName, PROBLEM_TYPES } from '../../../lib/contract/problems.ts';
import { EXAMPLE, execute, NAMES, NOT_NOW, OPEN, statesOf, TERMINAL } from './world.ts';

/** The next state after each class of failures of a task. */
interface Expected {
  readonly task: string;
  readonly Terminal: string;
  readonly Unknown: string;
  /** Terminal failures with a state of their own. */
  readonly own?: Readonly<Record<string, string>>;
}

const TASKS: readonly Expected[] = [
  {
    task: 'CreateProject',
    Terminal: 'NotCreated',
    Unknown: 'ProjectToLookUp',
    own: {
      'Segue.Terminal.invalid-project': 'ProjectToCorrect',
      'Segue.Terminal.malformed-json': 'ProjectToCorrect',
      'Segue.Terminal.team-without-translator': 'TeamToComplete',
      'Segue.Terminal.custom-id-in-use': 'CustomIdInUse',
    },
  },
  { task: 'DeleteTask', Terminal: 'NotDeleted', Unknown: 'DeletionToLookUp' },
  { task: 'DeleteProject', Terminal: 'NotDeleted', Unknown: 'DeletionToLookUp' },
];
const INPUT = { key: 'one.json', taskId: 'a' };

/** Returns how often a state retries after a failure, and the next state. */
function routeOf(name: string, { task, Terminal, Unknown, own = {} }: Expected, isFirst: boolean): [number, string] {
  if (TERMINAL.some((terminal) => terminal === name)) return [0, own[name] ?? Terminal];
  if (NOT_NOW.includes(name)) return isFirst ? [6, 'NotNow'] : [8, Unknown];
  if (isFirst) return [0, `${task}Wait`];
  return [OPEN.includes(name) ? 8 : 0, Unknown];
}

/** Runs the example. The named states always fail with their names, and all other states succeed. */
function failing(names: Readonly<Record<string, string>>) {
  const workOf = (state: string) => async () => {
    const name = names[state];
    if (name !== undefined) throw Object.assign(new Error('The cause.'), { name });
    return { projectId: 5 };
  };
  return execute(EXAMPLE, workOf, INPUT);
}

it('tests the name of every problem', () => {
  const own = NAMES.filter((name) => name.startsWith('Segue.'));
  expect(own.sort()).toEqual(PROBLEM_TYPES.map(failureName).sort());
});

it('tests every task state', () => {
  const states = statesOf(EXAMPLE).flatMap(([name, { Type }]) => (Type === 'Task' ? [name] : []));
  expect(states.sort()).toEqual(TASKS.flatMap(({ task }) => [task, `${task}Reconcile`]).sort());
});

describe.each(TASKS)('a failure of $task', (expected) => {
  const first = expected.task;
  const second = `${first}Reconcile`;

  it.each(NAMES)('%s in the first state', async (name) => {
    const { visited, retries, cause } = await failing({ [first]: name });
    const [count, next] = routeOf(name, expected, true);
    expect(retries.filter((state) => state === first)).toHaveLength(count);
    expect(visited[visited.indexOf(first) + 1]).toBe(next);
    expect(cause).toBe(next === `${first}Wait` ? undefined : 'The cause.');
  });

  it.each(NAMES)('%s in the second state', async (name) => {
    const { visited, retries, cause } = await failing({ [first]: 'Segue.Unknown.outcome-unknown', [second]: name });
    const [count, next] = routeOf(name, expected, false);
    expect(visited.slice(visited.indexOf(first))).toEqual([first, `${first}Wait`, second, next]);
    expect(retries).toEqual(Array(count).fill(second));
    expect(cause).toBe('The cause.');
  });
});
