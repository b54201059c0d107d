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
  SettingError,
} from '../../../infra/index.ts';
import { hosted } from '../../lib/hosted/fixture.ts';
import { callOf, project } from '../../lib/support.ts';
import {
  type Definition,
  definitionOf,
  EXAMPLE,
  exampleTemplate,
  inStack,
  tasksIn,
  templateOf,
} from './definitions.ts';
import { faultsOf } from './limits.ts';
import { execute, statesOf } from './machine.ts';
import { tasksOn, workOf } from './tasks.ts';

/** One state after every failure. */
function failuresIn(stack: Stack, id = 'Failed') {
  const failed = new Pass(stack, id);
  return { Terminal: failed, Retryable: failed, Unknown: failed };
}

/** A creation with all its states, of a company and a name. */
function creationIn(stack: Stack, id = 'Create', more: Partial<CreateProjectTaskProps> = {}) {
  return new CreateProjectTask(stack, id, {
    createProject: functionIn(stack),
    companyId: 'acme',
    project: TaskInput.fromJsonPathAt('$.project'),
    failures: failuresIn(stack, `${id}Failed`),
    ...more,
  });
}

/** One function of a stack, however many states call it. */
function functionIn(stack: Stack) {
  const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:createProjectTask';
  return LambdaFunction.fromFunctionArn(stack, `Function${stack.node.children.length}`, ARN);
}

/** What every task of a definition is given, by its state. */
const parametersIn = (definition: Definition) =>
  Object.fromEntries(
    statesOf(definition).flatMap(([name, { Type, Parameters }]) => (Type === 'Task' ? [[name, Parameters]] : [])),
  );

/** A map of creations, which tells them apart by the number of the item. */
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
    ['a path of the CDK with something before it', `a${JsonPath.stringAt('$.companyId')}`],
    ['a function of paths', JsonPath.format('{}', JsonPath.stringAt('$.companyId'))],
    ['JSONata', '{% $states.input.companyId %}'],
    ['a variable', '$companyId'],
    ['nothing', ''],
    ['a name that no company has', 'a company'],
  ])('is never %s', async (_, companyId) => {
    await expect(inStack((stack) => creationIn(stack, 'Create', { companyId }))).rejects.toThrow(SettingError);
  });

  it('stands in every task of the definition, whatever flows through', () => {
    for (const definition of [EXAMPLE, MAPPED]) {
      for (const parameters of Object.values(parametersIn(definition))) {
        expect(parameters).toMatchObject({ companyId: 'acme' });
        expect(JSON.stringify(parameters)).not.toContain('companyId.$');
      }
    }
  });

  it('may be a parameter of the stack', async () => {
    const template = await templateOf((stack) => {
      const company = new CfnParameter(stack, 'Company').valueAsString;
      const definitionBody = DefinitionBody.fromChainable(creationIn(stack, 'Create', { companyId: company }));
      new StateMachine(stack, 'Machine', { definitionBody });
    });
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      DefinitionString: { 'Fn::Join': ['', Match.arrayWith([{ Ref: 'Company' }])] },
    });
  });
});

describe('an id or a key that is a path', () => {
  const deleting = (ids: { customId?: string; taskId?: string }) =>
    inStack((stack) => {
      const { deleteProject } = tasksIn(stack);
      const deletion = { deleteProject, companyId: 'acme', scope: 'task', customId: 'x', taskId: 't' } as const;
      return new DeleteProjectTask(stack, 'Delete', { ...deletion, ...ids, failures: failuresIn(stack) });
    });
  const creating = (key: string) =>
    inStack((stack) => {
      const { createProject, bucket } = tasksIn(stack);
      const creation = { createProject, companyId: 'acme', failures: failuresIn(stack) };
      return new CreateProjectTask(stack, 'Create', { ...creation, projectFrom: { bucket, key } });
    });

  it('is said to be one, lest a deletion by it find nothing and succeed', async () => {
    await expect(deleting({ customId: '$.id' })).rejects.toThrow(SettingError);
    await expect(deleting({ taskId: '$.task' })).rejects.toThrow(SettingError);
    await expect(creating('$.key')).rejects.toThrow(SettingError);
  });

  it('may be any that is, or a text', async () => {
    await deleting({});
    await deleting({ customId: JsonPath.stringAt('$.id'), taskId: JsonPath.stringAt('$.task') });
    await creating(JsonPath.stringAt('$.key'));
  });
});

describe('the key of a construct', () => {
  it('is the first state’s in the state that asks again, which sends the very same', () => {
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

  it('is as different as the names that states get from what they are in', async () => {
    const definition = await definitionOf((stack) =>
      creationIn(stack).prefixStates('One ').next(creationIn(stack, 'Other')),
    );
    const names = Object.values(parametersIn(definition)).map((parameters) => Object(parameters).execution.state);
    expect(names.sort()).toEqual(['One Create', 'One Create', 'Other', 'Other']);
  });

  it('tells the entries of a map apart, and finds each again where the execution is run again', async () => {
    const service = hosted();
    const tasks = tasksOn(service);
    const input = { projects: [project({ name: 'a' }), project({ name: 'a' }), project({ name: 'b' })] };
    const [first, again] = [
      await execute(MAPPED, workOf(tasks), input, 'one'),
      await execute(MAPPED, workOf(tasks), input, 'one'),
    ];
    expect(first.failures).toEqual([]);
    expect(again.output).toEqual(first.output);
    expect((await service.list({ limit: 9 }, callOf())).projects).toHaveLength(3);
  });
});

describe('a definition', () => {
  it.each([
    ['of the example', EXAMPLE],
    ['of a map', MAPPED],
  ])('%s is within the limits of the service', (_, definition) => {
    expect(faultsOf(definition)).toEqual([]);
  });

  it('that is not is found', () => {
    const [name = ''] = Object.keys(EXAMPLE.States);
    const { [name]: state, ...others } = EXAMPLE.States;
    if (!state) throw new RangeError('The example has no state');
    const changed = (fields: object) =>
      faultsOf({ ...EXAMPLE, States: { ...EXAMPLE.States, [name]: { ...state, ...fields } } });
    const any = { ErrorEquals: ['States.ALL'], Next: name };
    expect(changed({ Comment: 'x'.repeat(1_048_576) })).toEqual([expect.stringMatching(/^it has \d+ bytes$/)]);
    expect(changed({ TimeoutSeconds: 60 })).toHaveLength(1);
    expect(changed({ Next: 'Nowhere' })).toContain('there is no Nowhere');
    expect(changed({ Catch: [any, ...(state.Catch ?? [])] }).length).toBeGreaterThan(0);
    expect(changed({ End: true })).toHaveLength(1);
    const long = 'x'.repeat(81);
    expect(faultsOf({ ...EXAMPLE, StartAt: long, States: { ...others, [long]: state } })).toEqual([
      `${long}: its name is too long`,
    ]);
  });

  it('has no name of a state that is too long', async () => {
    await inStack((stack) => creationIn(stack, 'x'.repeat(71)));
    await expect(inStack((stack) => creationIn(stack, 'x'.repeat(72)))).rejects.toThrow(SettingError);
  });
});

it('the role of a state machine may call its functions, and nothing else', () => {
  const statements = Object.values(exampleTemplate.findResources('AWS::IAM::Policy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
  expect(statements).toEqual([
    {
      Action: 'lambda:InvokeFunction',
      Effect: 'Allow',
      Resource: ['createProjectTask', 'deleteProjectTask'].map(
        (name) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`,
      ),
    },
  ]);
});

it('a deletion says its scope, and names the project by what it is given', async () => {
  const definition = await definitionOf(
    (stack) =>
      new DeleteProjectTask(stack, 'Delete', {
        deleteProject: tasksIn(stack).deleteProject,
        companyId: 'acme',
        customId: JsonPath.stringAt('$.id'),
        scope: 'task',
        taskId: JsonPath.stringAt('$.task'),
        failures: failuresIn(stack),
      }),
  );
  expect(parametersIn(definition)['Delete']).toMatchObject({
    'customId.$': '$.id',
    scope: 'task',
    'taskId.$': '$.task',
  });
});
