import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import type { JsonObject } from '../../../test/support/projects.ts';
import { addCompany, segueIn } from '../../../test/support/segue.ts';
import { creation, eventsIn, namesIn } from './world.ts';

const arn = (name: string) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}`;
const execution = (state: string) => ({ 'id.$': '$$.Execution.Id', state });

/** Creates a project, waits, and reads its progress. */
const CREATE = {
  StartAt: 'Create',
  States: {
    Create: {
      Type: 'Task',
      Resource: arn('createProjectTask'),
      Parameters: { companyId: 'acme', 'project.$': '$.project', execution: execution('Create') },
      ResultPath: '$.created',
      Next: 'Pause',
    },
    Pause: { Type: 'Wait', Seconds: 3_600, Next: 'Progress' },
    Progress: {
      Type: 'Task',
      Resource: arn('getProgressTask'),
      Parameters: { companyId: 'acme', 'projectId.$': '$.created.projectId' },
      End: true,
    },
  },
};

/** A template of `cdk synth` with state machines that read their projects from a bucket. */
function templateWith(...ids: string[]) {
  const definition = {
    StartAt: 'Create',
    States: {
      Create: {
        Type: 'Task',
        Resource: 'FUNCTION',
        Parameters: { companyId: 'acme', projectFrom: { bucket: 'BUCKET', key: 'one.json' } },
        End: true,
      },
    },
  };
  const parts = JSON.stringify(definition).split(/(FUNCTION|BUCKET)/);
  const references: Record<string, JsonObject> = {
    FUNCTION: { 'Fn::GetAtt': ['ProjectsCreateProjectTask1234', 'Arn'] },
    BUCKET: { Ref: 'Exports5678' },
  };
  const DefinitionString = { 'Fn::Join': ['', parts.map((part) => references[part] ?? part)] };
  const machine = { Type: 'AWS::StepFunctions::StateMachine', Properties: { DefinitionString } };
  return { Resources: Object.fromEntries(ids.map((id) => [id, machine])) };
}

/** Returns a company’s data folder with files, and a function that runs a state machine there. */
async function world(files: Readonly<Record<string, unknown>>) {
  const folder = temporaryFolder();
  await addCompany(folder, 'acme');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content));
  const { create: project } = creation({ name: 'By a workflow' });
  writeFileSync(join(folder, 'input.json'), JSON.stringify({ project }));
  const env = { SEGUE_PROJECTS_DIR: join(folder, 'objects') };
  mkdirSync(join(folder, 'objects/exports'), { recursive: true });
  writeFileSync(join(folder, 'objects/exports/one.json'), JSON.stringify(project));
  const run = (name: string, ...options: string[]) =>
    segueIn(folder, { env }, 'workflow', 'run', join(folder, name), '--no-wait', ...options);
  return { folder, input: ['--input', join(folder, 'input.json')], run };
}

describe('segue workflow run', () => {
  it('runs the tasks on this machine, and shows each state and the output', async () => {
    const { folder, input, run } = await world({ 'create.json': CREATE });
    const { code, stdout, stderr } = await run('create.json', ...input);
    expect([code, stderr]).toEqual([0, 'Create: done\nPause: done\nProgress: done\n']);
    expect(JSON.parse(stdout)).toMatchObject({ total: 0, languages: [{ languageCode: 'de-DE' }] });
    expect(await namesIn(folder, 'acme')).toEqual(['By a workflow']);
    expect(await eventsIn(folder, 'acme')).toEqual([['project.created', 1]]);
  });

  it('creates once with the same name of the execution', async () => {
    const { folder, input, run } = await world({ 'create.json': CREATE });
    const named = [...input, '--execution', 'nightly', '--json'];
    const first = await run('create.json', ...named);
    expect((await run('create.json', ...named)).stdout).toBe(first.stdout);
    expect(await namesIn(folder, 'acme')).toHaveLength(1);
    await run('create.json', ...input);
    expect(await namesIn(folder, 'acme')).toHaveLength(2);
  });

  it('fails with the problem of the task, and a line for each fault', async () => {
    const { folder, run } = await world({ 'create.json': CREATE, 'bad.json': { project: { name: 'No more' } } });
    const { code, stderr } = await run('create.json', '--input', join(folder, 'bad.json'));
    expect(code).toBe(1);
    expect(stderr).toContain('Create: Segue.Terminal.invalid-project\n/endDateUtc A string is required');
    expect(stderr).toContain(
      'segue: the execution failed with Segue.Terminal.invalid-project: The project breaks 4 rules',
    );
  });

  it('follows a state machine that catches the failure', async () => {
    const { Create, ...States } = CREATE.States;
    const Catch = [{ ErrorEquals: ['Segue.Terminal.invalid-project'], ResultPath: '$.failure', Next: 'Correct' }];
    const definition = {
      ...CREATE,
      States: {
        Create: { ...Create, Catch },
        ...States,
        Correct: { Type: 'Fail', Error: 'Correct it', Cause: 'By hand.' },
      },
    };
    const { folder, run } = await world({ 'caught.json': definition, 'bad.json': { project: {} } });
    const { code, stderr } = await run('caught.json', '--input', join(folder, 'bad.json'));
    const states = 'Create: Segue.Terminal.invalid-project\nCorrect: Correct it\n';
    expect([code, stderr]).toEqual([1, `${states}segue: the execution failed with Correct it: By hand.\n`]);
  });

  it('runs a state machine of a template, with the values of its references', async () => {
    const { folder, run } = await world({ 'one.json': templateWith('Nightly') });
    expect(await run('one.json', '--reference', 'Exports5678=exports')).toMatchObject({ code: 0 });
    expect(await namesIn(folder, 'acme')).toEqual(['By a workflow']);
  });

  it('runs a definition of JSONata', async () => {
    const definition = {
      QueryLanguage: 'JSONata',
      StartAt: 'Create',
      States: {
        Create: {
          Type: 'Task',
          Resource: 'arn:aws:states:::lambda:invoke',
          Arguments: {
            FunctionName: arn('createProjectTask'),
            Payload: {
              companyId: 'acme',
              project: "{% $merge([$states.input.project, { 'name': 'By JSONata' }]) %}",
              execution: { id: '{% $states.context.Execution.Id %}', state: 'Create' },
            },
          },
          Assign: { projectId: '{% $states.result.Payload.projectId %}' },
          Next: 'Progress',
        },
        Progress: {
          Type: 'Task',
          Resource: 'getProgressTask',
          Arguments: { companyId: 'acme', projectId: '{% $projectId %}' },
          Output: '{% { "done": $states.result.total = 100, "projectId": $projectId } %}',
          End: true,
        },
      },
    };
    const { folder, input, run } = await world({ 'jsonata.json': definition });
    const { code, stdout, stderr } = await run('jsonata.json', ...input);
    expect([code, stderr]).toEqual([0, 'Create: done\nProgress: done\n']);
    expect(JSON.parse(stdout)).toEqual({ done: false, projectId: expect.any(Number) });
    expect(await namesIn(folder, 'acme')).toEqual(['By JSONata']);
  });

  it('runs a definition of JSONata without an output of its own', async () => {
    const { folder, input, run } = await world({
      'small.json': {
        QueryLanguage: 'JSONata',
        StartAt: 'Create',
        States: {
          Create: {
            Type: 'Task',
            Resource: 'createProjectTask',
            Arguments: { companyId: 'acme', project: '{% $states.input.project %}' },
            End: true,
          },
        },
      },
    });
    expect(JSON.parse((await run('small.json', ...input)).stdout)).toMatchObject({ segments: 1 });
    expect(await namesIn(folder, 'acme')).toEqual(['By a workflow']);
  });

  it('waits for a project by a task token, which this machine reports', async () => {
    const wait = (FunctionName: string) => ({
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
      HeartbeatSeconds: 900,
      Arguments: {
        FunctionName,
        Payload: {
          companyId: 'acme',
          projectId: '{% $states.input.projectId %}',
          taskToken: '{% $states.context.Task.Token %}',
          timeoutSeconds: 1,
        },
      },
      Catch: [{ ErrorEquals: ['Segue.WaitTimedOut'], Next: 'TooLate' }],
      End: true,
    });
    const create = {
      Type: 'Task',
      Resource: 'createProjectTask',
      Arguments: { companyId: 'acme', project: '{% $states.input.project %}' },
      Next: 'Wait',
    };
    const definition = {
      QueryLanguage: 'JSONata',
      StartAt: 'Create',
      States: { Create: create, Wait: wait(arn('waitForProjectTask')), TooLate: { Type: 'Succeed' } },
    };
    const { input, run } = await world({ 'wait.json': definition });
    // Nobody translates the project, so the wait ends at its timeout, which the worker reports.
    const { code, stdout, stderr } = await run('wait.json', ...input);
    expect([code, stderr]).toEqual([0, 'Create: done\nWait: Segue.WaitTimedOut\nTooLate: done\n']);
    expect(JSON.parse(stdout)).toMatchObject({ Error: 'Segue.WaitTimedOut' });
  });

  it('refuses an input that is larger than Step Functions takes, and runs nothing', async () => {
    const { folder, run } = await world({ 'create.json': CREATE, 'large.json': { x: 'ü'.repeat(131_069) } });
    const { code, stderr } = await run('create.json', '--input', join(folder, 'large.json'));
    expect([code, stderr]).toEqual([
      2,
      'segue: the input has 262146 bytes, and Step Functions takes 262144: put the project into a bucket, and pass it as projectFrom\n',
    ]);
    expect(await namesIn(folder, 'acme')).toEqual([]);
  });

  it.each([
    [
      'output',
      { Grow: { Type: 'Pass', Parameters: { 'project.$': '$.project', 'copy.$': '$' }, Next: 'Create' } },
      '$.project',
    ],
    ['input', { Grow: { Type: 'Pass', Next: 'Create' } }, '$'],
  ])('ends if the %s of a state is too large, even if the state catches everything', async (what, before, path) => {
    const { Create } = CREATE.States;
    const Parameters = { companyId: 'acme', 'project.$': '$.project', 'copy.$': path, 'copies.$': path };
    const ErrorEquals = ['States.ALL'];
    const States = {
      ...before,
      Create: {
        ...Create,
        Parameters,
        Retry: [{ ErrorEquals }],
        Catch: [{ ErrorEquals, Next: 'Caught' }],
        Next: 'Caught',
      },
      Caught: { Type: 'Succeed' },
    };
    const { create: project } = creation({ description: 'x'.repeat(140_000) });
    const { folder, run } = await world({ 'grow.json': { StartAt: 'Grow', States }, 'large.json': { project } });
    const { code, stderr } = await run('grow.json', '--input', join(folder, 'large.json'));
    const detail = `The ${what} of the state ${what === 'input' ? 'Create' : 'Grow'} has more than 262144 bytes.`;
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`segue: the execution failed with States.DataLimitExceeded: ${detail}\n$`));
    expect(await namesIn(folder, 'acme')).toEqual([]);
  });

  const task = { Type: 'Task', Resource: 'createProjectTask', End: true };
  it.each([
    ['a template with several', templateWith('One', 'Two'), 'choose a state machine with --machine: One, Two'],
    ['a template without one', { Resources: {} }, 'the template has no state machine'],
    ['another file', { name: 'A project' }, 'the file has no definition in the Amazon States Language'],
    [
      'a task that is not here',
      { StartAt: 'A', States: { A: { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage', End: true } } },
      'the state A runs arn:aws:states:::sqs:sendMessage, which is not on this machine',
    ],
    [
      'a service that is not here',
      { StartAt: 'A', States: { A: { ...task, Resource: 'arn:aws:states:::lambda:invoke', Parameters: {} } } },
      'the state A must name its function as text in FunctionName',
    ],
    [
      'a field of the other language',
      { QueryLanguage: 'JSONata', StartAt: 'A', States: { A: { ...task, ResultPath: '$.x' } } },
      'the state A has ResultPath, which is of JSONPath, and its query language is JSONata: use Arguments, Output, or set',
    ],
    [
      'a field of JSONata in a branch of JSONPath',
      {
        StartAt: 'A',
        States: {
          A: { Type: 'Parallel', End: true, Branches: [{ StartAt: 'B', States: { B: { ...task, Arguments: {} } } }] },
        },
      },
      'the state B has Arguments, which is of JSONata, and its query language is JSONPath',
    ],
    [
      'a company from the input',
      { StartAt: 'A', States: { A: { ...task, Parameters: { 'companyId.$': '$.company' } } } },
      'the state A reads companyId from its input, so whoever starts an execution could choose the company',
    ],
    [
      'a company by an expression',
      {
        QueryLanguage: 'JSONata',
        StartAt: 'A',
        States: {
          A: {
            ...task,
            Resource: 'arn:aws:states:::lambda:invoke',
            Arguments: { FunctionName: 'createProjectTask', Payload: { companyId: '{% $states.input.company %}' } },
          },
        },
      },
      'the state A reads companyId from its input',
    ],
    [
      'a missing state',
      { StartAt: 'B', States: { A: { Type: 'Succeed' } } },
      'the definition is invalid: there is no state B',
    ],
  ])('refuses %s, and runs nothing', async (_, file, message) => {
    const { folder, run } = await world({ 'file.json': file });
    const { code, stdout, stderr } = await run('file.json');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(await namesIn(folder, 'acme')).toEqual([]);
  });
});
