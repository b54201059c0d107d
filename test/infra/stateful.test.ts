import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ROOT } from '../../infra/bundle.ts';
import { SERVICES, type ServiceName } from '../../infra/functions/function-spec.ts';
import { everyOption } from '../../tools/contexts.ts';
import { synthesise } from './synthesise.ts';

/**
 * The types of resources that a deployment must never replace, because they hold data, or because others know their
 * names. CloudFormation replaces a resource if its logical id or one of these properties changes.
 */
const FIXED_PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled', 'BucketNamePrefix'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::Events::EventBus': ['Name'],
  'AWS::Logs::LogGroup': ['LogGroupName', 'LogGroupClass'],
  'AWS::ApiGateway::RestApi': [],
  'AWS::ApiGateway::UsagePlan': [],
  'AWS::ApiGateway::DomainName': [],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', 'StateMachineType'],
  'AWS::Lambda::Alias': ['Name'],
};

/** Each resource has its type, and its fixed properties as JSON, by its logical id. */
const Service = z.strictObject({ resources: z.record(z.string(), z.string()), outputs: z.array(z.string()) });
const LIST = 'test/infra/stateful-resources.json';
const KEPT = z.record(z.enum(SERVICES), Service).parse(JSON.parse(readFileSync(resolve(ROOT, LIST), 'utf8')));

const Resources = z.record(
  z.string(),
  z.object({ Type: z.string(), Properties: z.optional(z.record(z.string(), z.unknown())) }),
);

/** Returns the resources of a template that a deployment must never replace, by their logical ids. */
function statefulIn(template: Template): Record<string, string> {
  const resources = Object.entries(Resources.parse(template.toJSON()['Resources']));
  return Object.fromEntries(
    resources.flatMap(([id, { Type: type, Properties = {} }]) => {
      const names = FIXED_PROPERTIES[type];
      if (!names) return [];
      const fixed = names.flatMap((name) => (name in Properties ? `${name}=${JSON.stringify(Properties[name])}` : []));
      return [[id, [type, ...fixed].join(' ')]];
    }),
  );
}

describe.each(SERVICES)('the kept resources of %s', async (service: ServiceName) => {
  const templates = [await synthesise(service), await synthesise(service, everyOption(service))];
  const found = Object.assign({}, ...templates.map(statefulIn));
  const outputs = [...new Set(templates.flatMap((template) => Object.keys(template.findOutputs('*'))))].sort();

  it('are replaced by no deployment: each has its logical id and its fixed properties', () => {
    const { resources } = KEPT[service];
    expect(Object.fromEntries(Object.keys(resources).map((id) => [id, found[id]]))).toEqual(resources);
  });

  it(`are all in ${LIST}: add a new one there, as this test shows it`, () => {
    const added = Object.entries(found).filter(([id]) => !(id in KEPT[service].resources));
    expect(Object.fromEntries(added)).toEqual({});
  });

  it('keep the outputs that others read', () => {
    expect(outputs).toEqual(KEPT[service].outputs);
  });
});
