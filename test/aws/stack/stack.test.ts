import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { SERVICES } from '../../../infra/functions/function-spec.ts';
import { s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { CONTEXTS } from '../../../tools/contexts.ts';
import { synthesised, variablesOf } from './cloudformation.ts';
import { deployed, ENVIRONMENT, type Template } from './emulated-stack.ts';

/** The resources that the emulator's CloudFormation skips: see `docs/stack.md`. */
const NOT_EMULATED = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Stage',
  'AWS::ApiGateway::UsagePlan',
  'AWS::CloudWatch::Alarm',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::SecretsManager::RotationSchedule',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SecretsManager::Secret',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
];

const STACKS = SERVICES.flatMap((service) =>
  (['development', 'production'] as const).map((stage) => ({
    service,
    stage,
    days: { development: '1', production: '7' }[stage],
  })),
);

describe.each(STACKS)('a stack of the service $service in $stage', async ({ service, stage, days }) => {
  const stackName = `Segue-${service}-${stage}`;
  const { outputs, made, template } = await deployed(
    stackName,
    // A dashboard refers to alarms, and most of the stack to aliases, which the emulator skips.
    await synthesised({ ...CONTEXTS[service], stackName, stage, dashboard: 'false', rollout: 'in-place' }, ENVIRONMENT),
  );

  it('has every resource that the emulator supports', () => {
    const wanted = Object.values(template.Resources).filter(({ Type }) => !NOT_EMULATED.includes(Type));
    expect(made.sort()).toEqual(wanted.map(({ Type }) => Type).sort());
  });

  it('has every output of its template', () => {
    const supported = Object.entries(template.Outputs).filter(([, output]) => !isSkipped(template, output));
    expect([...outputs.keys()].sort()).toEqual(supported.map(([name]) => name).sort());
    const empty = [...outputs].filter(([, value]) => value === '');
    expect(empty).toEqual([]);
  });

  it('has its table, with a stream', async () => {
    const client = new DynamoDBClient({ endpoint: process.env['AWS_ENDPOINT_URL'] ?? '' });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: outputs.get('TableName') }));
    expect(Table?.KeySchema).toEqual([
      { AttributeName: 'partition', KeyType: 'HASH' },
      { AttributeName: 'sort', KeyType: 'RANGE' },
    ]);
    expect(Table?.StreamSpecification?.StreamViewType).toBe('KEYS_ONLY');
  });

  it('passes the names of its resources to the functions', async () => {
    const variables = await variablesOf(outputs.get('CreateProjectTaskArn') ?? '');
    if (service === 'upstream') {
      expect(variables).toMatchObject({
        SEGUE_TABLE: outputs.get('TableName'),
        SEGUE_UPSTREAM_URL: 'https://projects.example.com',
      });
      return;
    }
    expect(variables).toEqual({
      SEGUE_TABLE: outputs.get('TableName'),
      SEGUE_CREDENTIALS_TABLE: outputs.get('CredentialsTableName'),
      SEGUE_RECOVERY_DAYS: days,
      SEGUE_BUCKET: outputs.get('BucketName'),
    });
    await s3Client().send(new HeadBucketCommand({ Bucket: outputs.get('BucketName') }));
  });
});

/** Whether an output is only the name of a skipped resource. */
function isSkipped({ Resources }: Template, output: unknown): boolean {
  const { Value } = z.object({ Value: z.union([z.string(), z.object({ Ref: z.optional(z.string()) })]) }).parse(output);
  const named = typeof Value === 'string' ? undefined : Resources[Value.Ref ?? ''];
  return named !== undefined && NOT_EMULATED.includes(named.Type);
}
