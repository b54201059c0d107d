import { CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, it, vi } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { withApp } from './synthesise.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: MUCH_WORK_MS });

it('makes errors of what the library’s own validation finds in a template', async () => {
  const synthesis = withApp((app) => {
    new CfnResource(new Stack(app, 'Broken'), 'Lambda', { type: 'AWS::Lambda::Function', properties: {} });
    app.synth();
  });
  await expect(synthesis).rejects.toThrow(/CloudFormation Validate/);
});

it('makes errors of what cdk-nag finds and nobody has acknowledged', async () => {
  const synthesis = withApp((app) => {
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    new Bucket(new Stack(app, 'Careless'), 'Bucket');
    app.synth();
  });
  await expect(synthesis).rejects.toThrow(/AwsSolutions-S1/);
});

it('makes errors of what it finds about functions, too', async () => {
  const synthesis = withApp((app) => {
    Validations.of(app).addPlugins(new ServerlessChecks(app));
    const code = Code.fromInline('exports.handler = async () => {};');
    new LambdaFunction(new Stack(app, 'Careless'), 'Function', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code,
    });
    app.synth();
  });
  await expect(synthesis).rejects.toThrow(/Serverless-LambdaTracing/);
});
