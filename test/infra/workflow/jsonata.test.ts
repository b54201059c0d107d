import type { Stack } from 'aws-cdk-lib';
import { CfnParameter, Fn } from 'aws-cdk-lib';
import { JsonPath, Pass, QueryLanguage, TaskInput } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import {
  CreateProjectTask,
  type CreateProjectTaskProps,
  DeleteProjectTask,
  GetProgressTask,
  PutProjectTask,
  SettingError,
} from '../../../infra/index.ts';
import { failureName, PROBLEM_TYPES } from '../../../lib/contract/problems.ts';
import { callContext, project } from '../../lib/support.ts';
import { hosted } from '../../support/world.ts';
import { definitionOf, execute, inStack, NOT_NOW, OPEN, stackResources, statesOf, TERMINAL, tasksOn } from './world.ts';

const { JSONATA } = QueryLanguage;
const failuresIn = (stack: Stack, id: string) => {
  const state = (name: string) => new Pass(stack, `${id}${name}`);
  return { Terminal: state('Terminal'), Retryable: state('Retryable'), Unknown: state('Unknown') };
};

/** Returns a task of JSONata that creates a project. */
function creationIn(
  stack: Stack,
  more: Partial<CreateProjectTaskProps> = {},
  { createProject } = stackResources(stack),
) {
  return new CreateProjectTask(stack, 'Create', {
    createProject,
    companyId: 'acme',
    queryLanguage: JSONATA,
    project: TaskInput.fromText('{% $states.input.project %}'),
    failures: failuresIn(stack, 'Create'),
    ...more,
  });
}

const CREATE = await definitionOf((stack) =>
  creationIn(stack, {
    outputs: { key: '{% $states.input.key %}', created: '{% $states.result %}' },
    assign: { projectId: '{% $states.result.projectId %}' },
  }),
);

/** Creates a project in a machine of JSONata, reads its progress and deletes it. */
const LIFE = await definitionOf((stack) => {
  const resources = stackResources(stack);
  const { deleteProject, getProgress } = resources;
  const task = { companyId: 'acme', queryLanguage: JSONATA, projectId: '{% $projectId %}' } as const;
  const read = new GetProgressTask(stack, 'Read', {
    ...task,
    getProgress,
    failures: failuresIn(stack, 'Read'),
    assign: { total: '{% $states.result.total %}' },
  });
  const remove = new DeleteProjectTask(stack, 'Delete', {
    ...task,
    deleteProject,
    scope: 'project',
    failures: failuresIn(stack, 'Delete'),
    outputs: { outcome: '{% $states.result.outcome %}', total: '{% $total %}' },
  });
  return creationIn(stack, { assign: { projectId: '{% $states.result.projectId %}' } }, resources)
    .next(read)
    .next(remove);
}, JSONATA);

describe('a task of JSONata', () => {
  it('has Arguments, Output and Assign, in a machine of either language', () => {
    expect(new Map(statesOf(CREATE)).get('Create')).toMatchObject({
      QueryLanguage: 'JSONata',
      Arguments: {
        companyId: 'acme',
        project: '{% $states.input.project %}',
        execution: { id: '{% $states.context.Execution.Id %}', state: 'Create' },
      },
      Output: { key: '{% $states.input.key %}', created: '{% $states.result %}' },
      Assign: { projectId: '{% $states.result.projectId %}' },
    });
    expect(LIFE).toMatchObject({ QueryLanguage: 'JSONata' });
    for (const [, state] of statesOf(LIFE)) expect(state).not.toHaveProperty('QueryLanguage');
  });

  it('runs, and passes on outputs and variables', async () => {
    const service = hosted();
    const tasks = tasksOn(service);
    const call = callContext();
    const work = (state: string) => async (command: unknown) => {
      if (state === 'Create')
        return tasks.createProject(command, { awsRequestId: 'a', getRemainingTimeInMillis: () => 60_000 });
      if (state === 'Delete')
        return tasks.deleteProject(command, { awsRequestId: 'b', getRemainingTimeInMillis: () => 60_000 });
      return { total: 40, languages: [] };
    };
    const { output, failures } = await execute(LIFE, work, { project: project({}) });
    expect(failures).toEqual([]);
    expect(output).toEqual({ outcome: 'deleted', total: 40 });
    expect((await service.list({ limit: 9 }, call)).projects).toEqual([]);
  });

  it.each([
    ...NOT_NOW.map((name) => [name, 'CreateRetryable'] as const),
    ...TERMINAL.map((name) => [name, 'CreateTerminal'] as const),
  ])('after %s, goes on with the input and the failure', async (name, next) => {
    const fail = async () => {
      throw Object.assign(new Error('The cause.'), { name });
    };
    const input = { key: 'a', project: {} };
    const { visited, output } = await execute(CREATE, () => fail, input);
    expect(visited).toEqual(['Create', next]);
    expect(output).toEqual({ ...input, failure: { Error: name, Cause: 'The cause.' } });
  });

  it('shows a failure also if the input is no object', async () => {
    const fail = async () => {
      throw Object.assign(new Error('The cause.'), { name: TERMINAL[0] });
    };
    const definition = await definitionOf((stack) => creationIn(stack, { project: TaskInput.fromObject({}) }));
    const { output } = await execute(definition, () => fail, 'text');
    expect(output).toEqual({ input: 'text', failure: { Error: TERMINAL[0], Cause: 'The cause.' } });
  });

  it.each(OPEN)('after %s, repeats the command under the same key', async (name) => {
    const commands: unknown[] = [];
    const work = (state: string) => async (command: unknown) => {
      commands.push(command);
      if (state === 'Create') throw Object.assign(new Error('The cause.'), { name });
      return { projectId: 5 };
    };
    const { visited, output } = await execute(CREATE, work, { key: 'a', project: { name: 'x' } });
    expect(visited).toEqual(['Create', 'CreateWait', 'CreateReconcile']);
    expect(commands[1]).toEqual(commands[0]);
    expect(output).toEqual({ key: 'a', created: { projectId: 5 } });
  });

  it('may give the next state after a failure another input', async () => {
    const failureOutputs = { failed: '{% $states.errorOutput.Error %}' };
    const definition = await definitionOf((stack) => creationIn(stack, { failureOutputs }));
    const name = failureName('invalid-project');
    const fail = async () => {
      throw Object.assign(new Error('The cause.'), { name });
    };
    expect((await execute(definition, () => fail, { project: {} })).output).toEqual({ failed: name });
    expect(PROBLEM_TYPES).toContain('invalid-project');
  });
});

describe('the company of a task of JSONata', () => {
  it.each<[string, string | ((stack: Stack) => string)]>([
    ['an expression', '{% $states.input.companyId %}'],
    ['an expression with spaces', ' {% $states.input.companyId %}'],
    ['an expression around a parameter', (stack) => `{% $lookup($states.input, "${new CfnParameter(stack, 'P')}") %}`],
    ['an expression that a function joins', () => Fn.join('', ['{% $states.input.', Fn.ref('AWS::Region'), ' %}'])],
    ['a path of the CDK', JsonPath.stringAt('$.companyId')],
  ])('is never %s', async (_, company) => {
    const build = (stack: Stack) =>
      creationIn(stack, { companyId: typeof company === 'string' ? company : company(stack) });
    await expect(inStack(build)).rejects.toThrow(SettingError);
  });
});

describe('the two query languages', () => {
  it.each<[string, (stack: Stack) => unknown, string]>([
    [
      'a path of the CDK in JSONata',
      (stack) => creationIn(stack, { project: TaskInput.fromJsonPathAt('$.project') }),
      'a value is a path of JSONPath, and the task has the query language JSONata: write an expression such as {% $states.input.id %}',
    ],
    [
      'a path as text in JSONata',
      (stack) => creationIn(stack, { project: TaskInput.fromText('$.project') }),
      '$.project is a path of JSONPath',
    ],
    [
      'an index of JSONPath in JSONata',
      (stack) => creationIn(stack, { index: JsonPath.numberAt('$.index') }),
      'a value is a path of JSONPath',
    ],
    ...['man-{% $states.input.id %}', '{% $states.input.id', ' {% $states.input.id %}'].map(
      (text): [string, (stack: Stack) => unknown, string] => [
        `a part of a text as an expression: ${text}`,
        (stack) => creationIn(stack, { project: TaskInput.fromObject({ name: text }) }),
        "make the whole text one expression, such as {% 'man-' & $states.input.id %}",
      ],
    ),
    [
      'resultPath in JSONata',
      (stack) => creationIn(stack, { resultPath: '$.created' }),
      'resultPath is of JSONPath: use outputs, assign and failureOutputs',
    ],
    ['failurePath in JSONata', (stack) => creationIn(stack, { failurePath: '$.failed' }), 'failurePath is of JSONPath'],
    [
      'a path in the outputs of JSONata',
      (stack) => creationIn(stack, { outputs: { id: JsonPath.stringAt('$.id') } }),
      'a value is a path of JSONPath',
    ],
    [
      'an expression in JSONPath',
      (stack) => creationIn(stack, { queryLanguage: QueryLanguage.JSON_PATH }),
      "{% $states.input.project %} is an expression of JSONata, and the task has the query language JSONPath: write JsonPath.stringAt('$.id'), or set queryLanguage to QueryLanguage.JSONATA",
    ],
    [
      'outputs in JSONPath',
      (stack) =>
        creationIn(stack, {
          queryLanguage: undefined,
          project: TaskInput.fromJsonPathAt('$.project'),
          outputs: '{% $states.result %}',
        }),
      'outputs is of JSONata: use resultPath and failurePath, or set queryLanguage',
    ],
  ])('are not mixed: %s', async (_, build, message) => {
    await expect(inStack(build)).rejects.toThrow(message);
    await expect(inStack(build)).rejects.toThrow(SettingError);
  });

  it('are not mixed: a task of JSONPath in a machine of JSONata', async () => {
    const build = (stack: Stack) =>
      creationIn(stack, { queryLanguage: undefined, project: TaskInput.fromJsonPathAt('$.project') });
    await expect(definitionOf(build, JSONATA)).rejects.toThrow(
      'the state machine has the query language JSONata, and its task Create has JSONPath: give the task queryLanguage: QueryLanguage.JSONATA',
    );
  });

  it('may both have any text in the content of a project', async () => {
    const content = { segments: [{ content: '$5 for {% if %}' }, { content: '$.price' }, { content: '{% raw %}' }] };
    const texts = TaskInput.fromObject(content);
    await inStack((stack) => creationIn(stack, { queryLanguage: QueryLanguage.JSON_PATH, project: texts }));
    await inStack((stack) => creationIn(stack, { project: TaskInput.fromObject({ segments: [{ content: '$5' }] }) }));
  });
});

it('puts a project with a revision in JSONata', async () => {
  const definition = await definitionOf(
    (stack) =>
      new PutProjectTask(stack, 'Put', {
        putProject: stackResources(stack).putProject,
        companyId: 'acme',
        queryLanguage: JSONATA,
        project: TaskInput.fromObject({ customId: '{% $states.input.id %}', segments: '{% $states.input.texts %}' }),
        revision: '{% $states.input.version %}',
        failures: failuresIn(stack, 'Put'),
      }),
  );
  const commands: unknown[] = [];
  const input = { id: 'a/1', texts: [{ content: 'Hi' }], version: 3 };
  const work = async (command: unknown) => {
    commands.push(command);
    return {};
  };
  await execute(definition, () => work, input);
  expect(commands).toMatchObject([{ project: { customId: 'a/1', segments: input.texts }, revision: 3 }]);
});
