import { CfnResource, type Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, it, vi } from 'vitest';
import { addSegueStack } from '../../infra/stack.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { withApp } from './synthesise.ts';

// a synthesis takes seconds on a busy machine
vi.setConfig({ testTimeout: MUCH_WORK_MS });

it.each<[finding: string, add: (stack: Stack) => unknown]>([
  ['CloudFormation Validate', (stack) => new CfnResource(stack, 'Broken', { type: 'AWS::Lambda::Function' })],
  ['AwsSolutions-S1', (stack) => new Bucket(stack, 'Careless')],
  [
    'Serverless-LambdaTracing',
    (stack) =>
      new LambdaFunction(stack, 'Careless', {
        runtime: Runtime.NODEJS_24_X,
        handler: 'index.handler',
        code: Code.fromInline('exports.handler = async () => {};'),
      }),
  ],
])('fails a synthesis with the finding %s', async (finding, add) => {
  const synthesis = withApp(
    (app) => {
      add(addSegueStack(app));
      app.synth();
    },
    { service: 'hosted' },
    {},
  );
  await expect(synthesis).rejects.toThrow(finding);
});
