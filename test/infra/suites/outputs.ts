import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import type { ServiceName } from '../../../infra/functions/catalogue.ts';

const COMMON = [
  'ApiId',
  'ApiUrl',
  'CreateProjectTaskArn',
  'DeleteProjectTaskArn',
  'DeliveriesTableName',
  'EventBusName',
  'ManifestsBucketName',
  'NextCommand',
  'SigningSecretArn',
  'TableName',
  'UsagePlanId',
  'WebhookSecretsPrefix',
];
const OUTPUTS: Record<ServiceName, readonly string[]> = {
  hosted: [...COMMON, 'BucketName'],
  upstream: [...COMMON, 'UpstreamSecretArn', 'UpstreamUrl'],
};
const NEXT: Record<ServiceName, RegExp> = {
  hosted: /npm run segue -- company add acme --stack Segue/,
  upstream: /aws secretsmanager put-secret-value .*StoresUpstreamSecret/,
};

/** What an operator needs to know next. */
export function outputs(template: Template, service: ServiceName): void {
  const found = template.findOutputs('*');

  it('puts out where everything is', () => {
    expect(Object.keys(found).sort()).toEqual([...OUTPUTS[service]].sort());
  });

  it('puts out the next command', () => {
    expect(JSON.stringify(found['NextCommand'])).toMatch(NEXT[service]);
  });
}
