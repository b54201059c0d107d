import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ROOT } from '../../infra/bundle.ts';
import { hosted, ProjectGateway } from '../../infra/index.ts';
import { withApp } from './synthesise.ts';
import { allowedBy, propertiesOf } from './template.ts';

const Flags = z.record(z.string(), z.unknown());
const read = (path: string): unknown => JSON.parse(readFileSync(resolve(ROOT, path), 'utf8'));

const recommended = Flags.parse(read('node_modules/aws-cdk-lib/recommended-feature-flags.json'));
const { context } = z.object({ context: Flags }).parse(read('cdk.json'));

/** The flags with another value than the recommended one. */
const OTHERS = {
  // Segue also deploys in GovCloud.
  '@aws-cdk/core:target-partitions': ['aws', 'aws-cn', 'aws-us-gov'],
  // It selects what the CDK reports about its use, and Segue lets it report nothing.
  '@aws-cdk/core:enableAdditionalMetadataCollection': false,
};

it('cdk.json sets every recommended feature flag of the CDK', () => {
  const { 'cli-telemetry': _, ...flags } = context;
  expect(flags).toEqual({ ...recommended, ...OTHERS });
});

describe('a gateway in an app without feature flags', () => {
  it('has the same resources and permissions', async () => {
    const none = Object.fromEntries(Object.keys(context).map((name) => [name, undefined]));
    const [unset, set] = [await gatewayWith(none), await gatewayWith({})];
    expect(contentsOf(unset)).toEqual(contentsOf(set));
    // IAM allows 10,240 characters for the inline policies of a role.
    for (const role of propertiesOf(unset, 'AWS::IAM::Role').values()) {
      expect(JSON.stringify(role).length).toBeLessThan(8_000);
    }
  });
});

function gatewayWith(flags: Readonly<Record<string, unknown>>): Promise<Template> {
  const options = { stage: 'development', firewall: 'rate', accessLogs: true, bulkCompanies: ['acme'] } as const;
  return withApp((app) => {
    const stack = new Stack(app, 'Segue');
    new ProjectGateway(stack, 'Projects', { service: hosted(), ...options });
    return Template.fromStack(stack);
  }, flags);
}

/** Returns the resources of a template by their names, and the permissions of each role. */
function contentsOf(template: Template): object {
  const resources: Record<string, { Type: string }> = template.toJSON()['Resources'];
  // The name of a deployment contains a hash of the whole API.
  const types = Object.entries(resources).filter(([, { Type }]) => Type !== 'AWS::ApiGateway::Deployment');
  const roles = [...propertiesOf(template, 'AWS::IAM::Role')].filter(([id]) => !id.includes('AccessLogs'));
  return {
    types: types.map(([id, { Type }]) => [id, Type]),
    roles: roles.map(([id, role]) => [id, id.includes('Bulkacme') ? [] : allowedBy(role)]),
  };
}
