import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it, vi } from 'vitest';
import { BulkStack } from '../../../examples/bulk/bulk-stack.ts';
import { BulkProjects, SettingError } from '../../../infra/index.ts';
import { bulkDefinition } from '../../../infra/workflow/bulk-definition.ts';
import { failureName } from '../../../lib/contract/failure-names.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../../lib/contract/problems.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { withApp } from '../synthesise.ts';
import { propertiesOf } from '../template.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: MUCH_WORK_MS });

describe('BulkProjects', () => {
  const stack = new Stack();
  const lambda = LambdaFunction.fromFunctionName(stack, 'Function', 'any');
  const gateway = { manifests: new Bucket(stack, 'Manifests'), functionOf: () => lambda };

  it.each(['', '$.companyId', 'a b'])('refuses the company id %j', (companyId) => {
    expect(() => new BulkProjects(stack, `Bulk${companyId}`, { gateway, companyId })).toThrow(SettingError);
  });

  it.each([
    { concurrency: 0 },
    { concurrency: 1.5 },
    { concurrency: 10_001 },
    { toleratedFailurePercentage: -1 },
    { toleratedFailurePercentage: 101 },
    { toleratedFailurePercentage: Number.NaN },
  ])('refuses %j', (numbers) => {
    const make = () => new BulkProjects(stack, JSON.stringify(numbers), { gateway, companyId: 'acme', ...numbers });
    expect(make).toThrow(SettingError);
  });

  it('has an example', async () => {
    await withApp((app) => {
      const made = Template.fromStack(new BulkStack(app, 'Bulk'));
      made.resourceCountIs('AWS::StepFunctions::StateMachine', 1);
      const { DefinitionString } = Object([...propertiesOf(made, 'AWS::StepFunctions::StateMachine').values()][0]);
      expect(JSON.stringify(DefinitionString)).toMatch(/MaxConcurrency\\":50,\\"ToleratedFailurePercentage\\":10/);
    });
  });
});

describe('its definition', () => {
  const { States } = bulkDefinition({
    companyId: 'acme',
    prepareBulk: 'arn:prepare',
    bulkLine: 'arn:line',
    bucket: 'bucket',
    concurrency: 20,
    toleratedFailurePercentage: 100,
  });
  const { CarryOut } = States.Lines.ItemProcessor.States;

  it('tries again every failure after which that may help, and none that is terminal', () => {
    for (const { Retry } of [States.Prepare, CarryOut]) {
      const names = Retry.flatMap(({ ErrorEquals }) => ErrorEquals);
      for (const type of PROBLEM_TYPES) {
        const { retryable, outcome } = PROBLEMS[type];
        expect([type, names.includes(failureName(type))]).toEqual([type, retryable || outcome === 'unknown']);
      }
      expect(names).toEqual(
        expect.arrayContaining([
          'Lambda.TooManyRequestsException',
          'Lambda.ClientExecutionTimeoutException',
          'Sandbox.Timedout',
          'States.Timeout',
        ]),
      );
      expect(Retry.every(({ JitterStrategy }) => JitterStrategy === 'FULL')).toBe(true);
    }
  });

  it('takes the company from nothing that flows through it', () => {
    const companies = [States.Prepare.Parameters.companyId, States.Lines.ItemSelector.companyId];
    expect(companies).toEqual(['acme', 'acme']);
  });

  it('waits for a line longer than a key is held, and no longer than an express execution may take', () => {
    const [{ IntervalSeconds, MaxAttempts, BackoffRate, MaxDelaySeconds } = never()] = CarryOut.Retry;
    const waits = Array.from({ length: MaxAttempts }, (_, n) =>
      Math.min(IntervalSeconds * BackoffRate ** n, MaxDelaySeconds),
    );
    const seconds = waits.reduce((sum, wait) => sum + wait);
    expect(seconds).toBeGreaterThan(2 * 61);
    expect(seconds).toBeLessThan(300 - 60);
  });
});

function never(): never {
  throw new Error('It has none');
}
