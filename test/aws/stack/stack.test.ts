import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { SERVICES } from '../../../infra/functions/catalogue.ts';
import { s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { CONTEXTS } from '../../../scripts/contexts.ts';
import { bootstrap, cloudFormation, elements, type Synthesised, synthesised, variablesOf } from './cloudformation.ts';

/** The account and region of the emulator. */
const ENVIRONMENT = { account: '123456789012', region: 'eu-central-1' } as const;

/** The smallest zip file, because no code runs here. */
const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);

/** The resources that the emulator's CloudFormation skips: see `docs/stack.md`. */
const NOT_EMULATED = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Stage',
  'AWS::ApiGateway::UsagePlan',
  'AWS::CloudWatch::Alarm',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Logs::MetricFilter',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::SecretsManager::RotationSchedule',
  'AWS::SecretsManager::Secret',
];

const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.optional(z.looseObject({})) })),
  Outputs: z.record(z.string(), z.unknown()),
});
type Template = z.infer<typeof Template>;

const STACKS = SERVICES.flatMap((service) =>
  (['development', 'production'] as const).map((stage) => ({
    service,
    stage,
    days: { development: '1', production: '7' }[stage],
  })),
);

describe.each(STACKS)('a stack of the service $service in $stage', async ({ service, stage, days }) => {
  const { outputs, made, template } = await deployed(
    `Segue-${service}-${stage}`,
    // A dashboard refers to alarms, and most of the stack to aliases, which the emulator skips.
    await synthesised({ ...CONTEXTS[service], stage, dashboard: 'false', rollout: 'in-place' }, ENVIRONMENT),
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

/** Creates a stack from its template. */
async function deployed(name: string, { template: text, assets }: Synthesised) {
  const template = emulated(Template.parse(JSON.parse(text)), name);
  const s3 = s3Client();
  const [bucket = ''] = assets.map((asset) => asset.bucket);
  const region = { LocationConstraint: ENVIRONMENT.region } as const;
  const making = s3.send(new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: region }));
  await making.catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'BucketAlreadyOwnedByYou')) throw error;
  });
  for (const { key } of assets) await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: EMPTY_ZIP }));
  await bootstrap();
  await cloudFormation('CreateStack', {
    StackName: name,
    TemplateBody: JSON.stringify(template),
    'Capabilities.member.1': 'CAPABILITY_IAM',
  });
  const described = await cloudFormation('DescribeStacks', { StackName: name });
  expect(elements(described, 'StackStatus')).toEqual(['CREATE_COMPLETE']);
  const values = elements(described, 'OutputValue');
  const outputs = new Map(elements(described, 'OutputKey').map((key, index) => [key, values[index] ?? '']));
  const made = elements(await cloudFormation('ListStackResources', { StackName: name }), 'ResourceType');
  return { template, outputs, made };
}

/**
 * Returns the template for the emulator. Every method needs a function, also a mock integration. A bus needs a name, and
 * so does a FIFO queue: CloudFormation itself makes one that ends with `.fifo`.
 */
function emulated({ Resources, ...rest }: Template, stackName: string): Template {
  const resources = Object.entries(Resources).map(([id, { Properties, ...resource }]) => {
    if (resource.Type === 'AWS::Events::EventBus')
      return [id, { ...resource, Properties: { Name: `${stackName}-bus` } }];
    if (resource.Type === 'AWS::SQS::Queue' && Properties?.['FifoQueue'] === true) {
      return [id, { ...resource, Properties: { ...Properties, QueueName: `${stackName}-${id}.fifo` } }];
    }
    if (resource.Type !== 'AWS::ApiGateway::Method') return [id, { ...resource, Properties }];
    const Integration = { IntegrationHttpMethod: 'POST', Uri: '', ...Object(Properties?.['Integration']) };
    return [id, { ...resource, Properties: { ...Properties, Integration } }];
  });
  return Template.parse({ ...rest, Resources: Object.fromEntries(resources) });
}
