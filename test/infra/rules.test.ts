import { CfnResource } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, it } from 'vitest';
import { addSegueStack } from '../../infra/stack.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { withApp } from './synthesise.ts';

it('findings of the validator and of both sets of rules fail a synthesis', { timeout: MUCH_WORK_MS }, async () => {
  const synthesis = withApp(
    (app) => {
      const stack = addSegueStack(app);
      new CfnResource(stack, 'Broken', { type: 'AWS::Lambda::Function' });
      new Bucket(stack, 'CarelessBucket');
      new LambdaFunction(stack, 'CarelessFunction', {
        runtime: Runtime.NODEJS_24_X,
        handler: 'index.handler',
        code: Code.fromInline('exports.handler = async () => {};'),
      });
      app.synth();
    },
    { service: 'hosted' },
    {},
  );
  const report = await synthesis.catch(String);
  for (const finding of ['CloudFormation Validate', 'AwsSolutions-S1', 'Serverless-LambdaTracing']) {
    expect(report).toContain(finding);
  }
});
