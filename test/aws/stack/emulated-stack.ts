import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { bootstrap, cloudFormation, elements, type Synthesised } from './cloudformation.ts';

/** The account and region of the emulator. */
export const ENVIRONMENT = { account: '123456789012', region: 'eu-central-1' } as const;

/** The smallest zip file, because the emulator runs no code. */
const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);

const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.optional(z.looseObject({})) })),
  Outputs: z.record(z.string(), z.unknown()),
});
export type Template = z.infer<typeof Template>;

/** Creates a stack in the emulator's CloudFormation, from its template. */
export async function deployed(name: string, { template: text, assets }: Synthesised) {
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
  const listed = await cloudFormation('ListStackResources', { StackName: name });
  const made = elements(listed, 'ResourceType');
  const resources = listed.split('<member>').map((member) => {
    const [logicalId = ''] = elements(member, 'LogicalResourceId');
    const [physicalId = ''] = elements(member, 'PhysicalResourceId');
    return [logicalId, physicalId] as const;
  });
  return { template, outputs, made, physicalIds: new Map(resources) };
}

/**
 * Returns the template for the emulator. It imports no definition of an API, and deploys no API without methods. A bus
 * needs a name, and so does a FIFO queue: CloudFormation itself makes one that ends with `.fifo`.
 */
function emulated({ Resources, ...rest }: Template, stackName: string): Template {
  const emulatedResources = Object.entries(Resources).filter(([, { Type }]) => Type !== 'AWS::ApiGateway::Deployment');
  const resources = emulatedResources.map(([id, { Properties, ...resource }]) => {
    if (resource.Type === 'AWS::Events::EventBus')
      return [id, { ...resource, Properties: { Name: `${stackName}-bus` } }];
    if (resource.Type === 'AWS::SQS::Queue' && Properties?.['FifoQueue'] === true) {
      return [id, { ...resource, Properties: { ...Properties, QueueName: `${stackName}-${id}.fifo` } }];
    }
    return [id, { ...resource, Properties }];
  });
  return Template.parse({ ...rest, Resources: Object.fromEntries(resources) });
}
