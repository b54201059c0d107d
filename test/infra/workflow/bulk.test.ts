import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it, vi } from 'vitest';
import { BulkStack } from '../../../examples/bulk/bulk-stack.ts';
import { BulkProjects, SettingError } from '../../../infra/index.ts';
import { bulkDefinition } from '../../../infra/workflow/bulk-definition.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { withApp } from '../synthesise.ts';
import { propertiesOf } from '../template.ts';
import { execute, NAMES, NOT_NOW, OPEN, readDefinition } from './world.ts';

// a synthesis takes seconds on a busy machine
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const { States } = bulkDefinition({
  partition: 'aws',
  companyId: 'acme',
  prepareBulk: 'arn:aws:lambda:eu-central-1:123456789012:function:prepareBulk',
  bulkLine: 'arn:aws:lambda:eu-central-1:123456789012:function:bulkLine',
  bucket: 'manifests',
  concurrency: 10,
  toleratedFailurePercentage: 5,
});
const { Prepare, Lines } = States;
const { Next: _, ...prepareAlone } = Prepare;

/** The definition before the map, and that of each line. The interpreter has no distributed map. */
const MACHINES = {
  Prepare: readDefinition({ StartAt: 'Prepare', States: { Prepare: { ...prepareAlone, End: true } } }),
  CarryOut: readDefinition({ StartAt: Lines.ItemProcessor.StartAt, States: Lines.ItemProcessor.States }),
};
const MAX_RETRIES = 9;

const run = (task: keyof typeof MACHINES, work: () => Promise<unknown>) =>
  execute(MACHINES[task], () => work, { key: 'manifests/acme/a.jsonl' });

describe('BulkProjects', () => {
  it.each([
    { companyId: '' },
    { companyId: '$.companyId' },
    { companyId: 'a b' },
    { concurrency: 0 },
    { concurrency: 1.5 },
    { concurrency: 10_001 },
    { toleratedFailurePercentage: -1 },
    { toleratedFailurePercentage: 101 },
    { toleratedFailurePercentage: Number.NaN },
  ])('refuses %j', (props) => {
    const stack = new Stack();
    const lambda = LambdaFunction.fromFunctionName(stack, 'Function', 'any');
    const bulkLog = new LogGroup(stack, 'Log');
    const gateway = { manifests: new Bucket(stack, 'Manifests'), bulkLog, functionOf: () => lambda };
    expect(() => new BulkProjects(stack, 'Bulk', { gateway, companyId: 'acme', ...props })).toThrow(SettingError);
  });

  it('has an example', async () => {
    await withApp((app) => {
      const template = Template.fromStack(new BulkStack(app, 'Bulk'));
      const [machine, ...others] = propertiesOf(template, 'AWS::StepFunctions::StateMachine').values();
      expect(others).toEqual([]);
      expect(JSON.stringify(Object(machine).DefinitionString)).toMatch(
        /TolerateSome\\":\{\\"Type\\":\\"Pass\\",\\"Result\\":10,.*MaxConcurrency\\":50,/,
      );
    });
  });

  it.each([
    [true, 100],
    [false, 5],
  ])('with validateOnly %j, tolerates %i percent of failed lines', async (validateOnly, percent) => {
    const { TolerateAll, TolerateSome, IsCheck } = States;
    const definition = {
      StartAt: 'Prepare',
      States: {
        Prepare: { ...Prepare, Next: 'IsCheck' },
        IsCheck,
        TolerateAll: { ...TolerateAll, Next: 'Ended' },
        TolerateSome: { ...TolerateSome, Next: 'Ended' },
        Ended: { Type: 'Succeed' },
      },
    };
    const execution = await execute(readDefinition(definition), () => async () => ({ validateOnly }), {});
    expect(execution).toMatchObject({ output: { validateOnly, tolerated: percent } });
    expect(Lines.ToleratedFailurePercentagePath).toBe('$.tolerated');
  });

  it('takes the company from its definition only', () => {
    expect([Prepare.Parameters.companyId, Lines.ItemSelector.companyId]).toEqual(['acme', 'acme']);
  });

  it('retries a line for longer than its lease, within the limit of an express execution', () => {
    const [retry] = Lines.ItemProcessor.States.CarryOut.Retry;
    const { IntervalSeconds = 0, MaxAttempts = 0, BackoffRate = 0, MaxDelaySeconds = 0 } = retry ?? {};
    const waits = Array.from({ length: MaxAttempts }, (_, n) =>
      Math.min(IntervalSeconds * BackoffRate ** n, MaxDelaySeconds),
    );
    const seconds = waits.reduce((sum, wait) => sum + wait);
    expect(seconds).toBeGreaterThan(2 * 61);
    expect(seconds).toBeLessThan(300 - 60);
  });
});

describe.each(['Prepare', 'CarryOut'] as const)('a failure of %s', (task) => {
  it.each(NAMES)('%s is retried if that may help, and then fails the execution', async (name) => {
    const execution = await run(task, async () => {
      throw Object.assign(new Error('The cause.'), { name });
    });
    const mayHelp = NOT_NOW.includes(name) || OPEN.includes(name);
    expect(execution).toMatchObject({ error: name, visited: [task] });
    expect(execution.retries).toEqual(Array(mayHelp ? MAX_RETRIES : 0).fill(task));
  });
});

it('fails a line that can never succeed by its own name, with its faults', async () => {
  const result = { outcome: 'failed', failure: 'Segue.Terminal.invalid-project', cause: '{"faults":2}' };
  const { error, cause, visited } = await run('CarryOut', async () => result);
  expect({ error, cause, visited }).toEqual({
    error: 'Segue.Terminal.invalid-project',
    cause: '{"faults":2}',
    visited: ['CarryOut', 'IsDone', 'LineFailed'],
  });
});
