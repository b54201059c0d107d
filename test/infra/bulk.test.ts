import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { BulkStack } from '../../examples/bulk/bulk-stack.ts';
import { ROOT } from '../../infra/bundle.ts';
import { BulkProjects, hosted, ProjectGateway, SettingError } from '../../infra/index.ts';
import { bulkDefinition } from '../../infra/workflow/bulk-definition.ts';
import { failureName } from '../../lib/contract/failure-names.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../lib/contract/problems.ts';
import { EVERY_OPTION } from '../../scripts/contexts.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { synthesise, withApp } from './synthesise.ts';
import { propertiesOf } from './template.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const template = await synthesise('hosted', EVERY_OPTION);
const policies = [...propertiesOf(template, 'AWS::IAM::Policy').values()];
const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(z.object({ Action: z.union([z.string(), z.array(z.string())]), Resource: z.unknown() })),
  }),
});

/** Lines of actions with what they are on, as JSON without hashes. */
const allowed = policies
  .flatMap((policy) => Policy.parse(policy).PolicyDocument.Statement)
  .map(
    ({ Action, Resource }) => `${[Action].flat().join()} ${JSON.stringify(Resource).replaceAll(/[0-9A-F]{8}\b/g, '')}`,
  );

describe('the state machine of a company', () => {
  it('is put out by the company', () => {
    const { Value } = Object(template.findOutputs('BulkMachines')['BulkMachines']);
    expect(JSON.stringify(Value)).toMatch(/acme.*BulkacmeMachine/);
  });

  it('may call its two functions, read its index, write its results and run itself, and nothing else of ours', () => {
    const ours = allowed.filter((line) => !/^(logs|xray|kms):/.test(line));
    expect(ours).toEqual([
      expect.stringMatching(/^lambda:InvokeFunction \[.*"BulkLineLambda","Arn".*"PrepareBulkLambda","Arn".*\]$/),
      expect.stringMatching(/^s3:GetObject .*"StoresManifests","Arn".*"\/index\/acme\/\*"/),
      expect.stringMatching(
        /^s3:AbortMultipartUpload,s3:GetObject,s3:ListMultipartUploadParts,s3:PutObject .*"StoresManifests","Arn".*"\/results\/acme\/\*"/,
      ),
      expect.stringMatching(/^states:StartExecution \{"Ref":"BulkacmeMachine"\}$/),
      expect.stringMatching(
        /^states:DescribeExecution,states:StopExecution .*:execution:.*"BulkacmeMachine","Name".*":\*"/,
      ),
      expect.stringMatching(/^states:RedriveExecution .*:execution:.*"BulkacmeMachine","Name".*"\/Lines:\*"/),
    ]);
  });

  it('keeps nothing of what flows through it, is traced, and says what fails', () => {
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      LoggingConfiguration: { IncludeExecutionData: false, Level: 'ERROR' },
      TracingConfiguration: { Enabled: true },
    });
  });

  it('has an alarm, and what to do then', () => {
    const { AlarmDescription } = Object(propertiesOf(template, 'AWS::CloudWatch::Alarm').get('AlarmsBulkFailed'));
    const [loses = ''] = String(AlarmDescription).split(' Look first at ');
    const page = readFileSync(resolve(ROOT, 'docs/operations.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(page).toContain(`### BulkFailed ${loses}`);
  });

  it('is made for a company, and for no path to one', async () => {
    await withApp((app) => {
      const stack = new Stack(app, 'Wrong');
      const gateway = new ProjectGateway(stack, 'Projects', { service: hosted(), stage: 'development' });
      for (const companyId of ['', '$.companyId', 'a b']) {
        expect(() => new BulkProjects(stack, `Bulk${companyId}`, { gateway, companyId })).toThrow(SettingError);
      }
    });
  });

  it('takes no number that Step Functions refuses, or reads as no limit', async () => {
    await withApp((app) => {
      const stack = new Stack(app, 'Wrong');
      const gateway = new ProjectGateway(stack, 'Projects', { service: hosted(), stage: 'development' });
      for (const numbers of [
        { concurrency: 0 },
        { concurrency: 1.5 },
        { concurrency: 10_001 },
        { toleratedFailurePercentage: -1 },
        { toleratedFailurePercentage: 101 },
        { toleratedFailurePercentage: Number.NaN },
      ]) {
        const make = () => new BulkProjects(stack, JSON.stringify(numbers), { gateway, companyId: 'acme', ...numbers });
        expect(make).toThrow(SettingError);
      }
    });
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
