import { CfnResource } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, it } from 'vitest';
import { SERVICES } from '../../infra/functions/function-spec.ts';
import { addSegueStack } from '../../infra/stack.ts';
import { CONTEXTS, everyOption } from '../../tools/contexts.ts';
import { withApp } from '../infra/synthesise.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

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
    CONTEXTS.hosted,
    {},
  );
  const report = await synthesis.catch(String);
  for (const finding of ['CloudFormation Validate', 'AwsSolutions-S1', 'Serverless-LambdaTracing']) {
    expect(report).toContain(finding);
  }
});

// `npm run synth` has the stacks of production.
it.each(SERVICES)('nothing is found in a stack of %s for development', { timeout: MUCH_WORK_MS }, async (service) => {
  const synthesis = withApp(
    (app) => {
      addSegueStack(app);
      return app.synth().stacks.length;
    },
    { ...everyOption(service), stage: 'development', rollout: 'at-once' },
    {},
  );
  await expect(synthesis).resolves.toBe(1);
});
