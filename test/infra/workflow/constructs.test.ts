import { CfnParameter, type Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  DefinitionBody,
  JsonPath,
  Map as MapState,
  Pass,
  StateMachine,
  TaskInput,
} from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import {
  CreateProjectTask,
  type CreateProjectTaskProps,
  DeleteProjectTask,
  PutProjectTask,
  SettingError,
} from '../../../infra/index.ts';
import { callContext, project } from '../../lib/support.ts';
import { hosted } from '../../support/world.ts';
import {
  type Definition,
  definitionOf,
  EXAMPLE,
  exampleTemplate,
  execute,
  inStack,
  stackResources,
  statesOf,
  tasksOn,
  templateOf,
  workOf,
} from './world.ts';

const arnOf = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;

/** Returns a state that follows every failure. */
function failuresIn(stack: Stack, id: string) {
  const failed = new Pass(stack, `${id}Failed`);
  return { Terminal: failed, Retryable: failed, Unknown: failed };
}

function creationIn(stack: Stack, id = 'Create', more: Partial<CreateProjectTaskProps> = {}) {
  return new CreateProjectTask(stack, id, {
    createProject: LambdaFunction.fromFunctionArn(stack, `${id}Function`, arnOf('createProjectTask')),
    companyId: 'acme',
    project: TaskInput.fromJsonPathAt('$.project'),
    failures: failuresIn(stack, id),
    ...more,
  });
}

function deletionIn(stack: Stack, ids: { readonly customId?: string; readonly taskId?: string }) {
  return new DeleteProjectTask(stack, 'Delete', {
    deleteProject: stackResources(stack).deleteProject,
    companyId: 'acme',
    customId: 'x',
    scope: 'task',
    taskId: 't',
    failures: failuresIn(stack, 'Delete'),
    ...ids,
  });
}

/** Returns the parameters of each task of a definition, by its state. */
const parametersIn = (definition: Definition) =>
  Object.fromEntries(
    statesOf(definition).flatMap(([name, { Type, Parameters }]) => (Type === 'Task' ? [[name, Parameters]] : [])),
  );

/** A map of create tasks with an index. */
const MAPPED = await definitionOf((stack) => {
  const map = new MapState(stack, 'Each', {
    itemsPath: '$.projects',
    itemSelector: { 'index.$': '$$.Map.Item.Index', 'project.$': '$$.Map.Item.Value' },
    resultPath: '$.created',
  });
  return map.itemProcessor(creationIn(stack, 'Create', { index: JsonPath.numberAt('$.index') }));
});

describe('the company of a construct', () => {
  it.each([
    ['a path', '$.companyId'],
    ['a path of the context', '$$.Execution.Input.companyId'],
    ['a path of the CDK', JsonPath.stringAt('$.companyId')],
    ['a path of the CDK after a text', `a${JsonPath.stringAt('$.companyId')}`],
    ['a function of paths', JsonPath.format('{}', JsonPath.stringAt('$.companyId'))],
    ['JSONata', '{% $states.input.companyId %}'],
    ['a variable', '$companyId'],
    ['empty', ''],
    ['an invalid id', 'a company'],
  ])('is never %s', async (_, companyId) => {
    await expect(inStack((stack) => creationIn(stack, 'Create', { companyId }))).rejects.toThrow(SettingError);
  });

  it('is literal in every task of the definition', () => {
    for (const parameters of [EXAMPLE, MAPPED].flatMap((definition) => Object.values(parametersIn(definition)))) {
      expect(parameters).toMatchObject({ companyId: 'acme' });
      expect(parameters).not.toHaveProperty(['companyId.$']);
    }
  });

  it('may be a parameter of the stack', async () => {
    const template = await templateOf((stack) => {
      const companyId = new CfnParameter(stack, 'Company').valueAsString;
      const definitionBody = DefinitionBody.fromChainable(creationIn(stack, 'Create', { companyId }));
      new StateMachine(stack, 'Machine', { definitionBody });
    });
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      DefinitionString: { 'Fn::Join': ['', Match.arrayWith([{ Ref: 'Company' }])] },
    });
  });
});

describe('an id or a key', () => {
  const creating = (key: string) =>
    inStack((stack) => {
      const { createProject, bucket } = stackResources(stack);
      const failures = failuresIn(stack, 'Create');
      return new CreateProjectTask(stack, 'Create', {
        createProject,
        companyId: 'acme',
        failures,
        projectFrom: { bucket, key },
      });
    });

  it('is never a path written as text, because a deletion would find nothing and succeed', async () => {
    await expect(inStack((stack) => deletionIn(stack, { customId: '$.id' }))).rejects.toThrow(SettingError);
    await expect(inStack((stack) => deletionIn(stack, { taskId: '$.task' }))).rejects.toThrow(SettingError);
    await expect(creating('$.key')).rejects.toThrow(SettingError);
  });

  it('may be a text, or a path of the CDK', async () => {
    await inStack((stack) => deletionIn(stack, {}));
    await creating(JsonPath.stringAt('$.key'));
    const definition = await definitionOf((stack) =>
      deletionIn(stack, { customId: JsonPath.stringAt('$.id'), taskId: JsonPath.stringAt('$.task') }),
    );
    expect(parametersIn(definition)['Delete']).toMatchObject({
      'customId.$': '$.id',
      scope: 'task',
      'taskId.$': '$.task',
    });
  });
});

describe('the idempotency key of a task', () => {
  it('is the same in the second state, which sends the same command', () => {
    for (const definition of [EXAMPLE, MAPPED]) {
      const parameters = parametersIn(definition);
      const firsts = Object.keys(parameters).filter((name) => !name.endsWith('Reconcile'));
      for (const name of firsts) {
        expect(parameters[name]).toMatchObject({ execution: { 'id.$': '$$.Execution.Id', state: name } });
        expect(parameters[`${name}Reconcile`]).toEqual(parameters[name]);
      }
      expect(Object.keys(parameters)).toHaveLength(firsts.length * 2);
    }
  });

  it('contains the final name of the state', async () => {
    const definition = await definitionOf((stack) =>
      creationIn(stack).prefixStates('One ').next(creationIn(stack, 'Other')),
    );
    const names = Object.values(parametersIn(definition)).map((parameters) => Object(parameters).execution.state);
    expect(names.sort()).toEqual(['One Create', 'One Create', 'Other', 'Other']);
  });

  it('differs between the entries of a map, and is the same when the execution runs again', async () => {
    const service = hosted();
    const input = { projects: [project({ name: 'a' }), project({ name: 'a' }), project({ name: 'b' })] };
    const first = await execute(MAPPED, workOf(tasksOn(service)), input, 'one');
    const again = await execute(MAPPED, workOf(tasksOn(service)), input, 'one');
    expect(first.failures).toEqual([]);
    expect(again.output).toEqual(first.output);
    expect((await service.list({ limit: 9 }, callContext())).projects).toHaveLength(3);
  });
});

it('adds the failure to the input of the next state', async () => {
  const definition = await definitionOf((stack) => creationIn(stack));
  const failure = { Error: 'Segue.Terminal.upstream-refused', Cause: 'The cause.' };
  const names: Record<string, string> = { Create: 'Lambda.Unknown', CreateReconcile: failure.Error };
  const workOf = (state: string) => () =>
    Promise.reject(Object.assign(new Error(failure.Cause), { name: names[state] }));
  const input = { project: { name: 'A project' } };
  expect((await execute(definition, workOf, input)).output).toEqual({ ...input, failure });
});

it('refuses the name of a state that would be too long', async () => {
  await inStack((stack) => creationIn(stack, 'x'.repeat(71)));
  await expect(inStack((stack) => creationIn(stack, 'x'.repeat(72)))).rejects.toThrow(SettingError);
});

describe('the revision of a construct', () => {
  const putting = (revision: number | string | undefined) => (stack: Stack) =>
    new PutProjectTask(stack, 'Put', {
      putProject: stackResources(stack).putProject,
      companyId: 'acme',
      project: TaskInput.fromJsonPathAt('$.project'),
      failures: failuresIn(stack, 'Put'),
      ...(revision !== undefined && { revision }),
    });
  const deleting = (revision: number | string) => (stack: Stack) =>
    new DeleteProjectTask(stack, 'Put', {
      deleteProject: stackResources(stack).deleteProject,
      companyId: 'acme',
      customId: 'x',
      scope: 'project',
      failures: failuresIn(stack, 'Put'),
      revision,
    });

  it.each([
    [7, { revision: 7 }],
    ['2026-01-31T09:00:00Z', { revision: '2026-01-31T09:00:00Z' }],
    [JsonPath.numberAt('$.version'), { 'revision.$': '$.version' }],
    [JsonPath.stringAt('$.updatedAt'), { 'revision.$': '$.updatedAt' }],
  ])('%j is part of the command of a put and of a deletion', async (revision, shown) => {
    const put = parametersIn(await definitionOf(putting(revision)));
    expect(Object.keys(put)).toEqual(['Put', 'PutReconcile']);
    for (const parameters of Object.values(put))
      expect(parameters).toMatchObject({ companyId: 'acme', 'project.$': '$.project', ...shown });
    expect(parametersIn(await definitionOf(deleting(revision)))['Put']).toMatchObject({ scope: 'project', ...shown });
  });

  it('may be absent, and is no path written as text', async () => {
    const { Put } = parametersIn(await definitionOf(putting(undefined)));
    expect(Put).not.toHaveProperty('revision');
    for (const build of [putting('$.version'), deleting('$.version')])
      await expect(inStack(build)).rejects.toThrow(SettingError);
  });
});

it('waits for a function longer than the function’s own timeout', () => {
  const tasks = statesOf(EXAMPLE).filter(([, { Type }]) => Type === 'Task');
  for (const [, { TimeoutSeconds }] of tasks) expect(TimeoutSeconds).toBe(70);
});

it('lets the role of a state machine invoke its functions only', () => {
  const statements = Object.values(exampleTemplate.findResources('AWS::IAM::Policy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  expect(statements).toEqual([
    {
      Action: 'lambda:InvokeFunction',
      Effect: 'Allow',
      Resource: [arnOf('createProjectTask'), arnOf('deleteProjectTask')],
    },
  ]);
});
