import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import type { ServiceName } from '../../../infra/functions/function-spec.ts';
import { RETENTIONS } from '../../../lib/contract/retentions.ts';
import { propertiesOf } from '../template.ts';

const SECRETS = {
  StoresSigningSecret: {
    SecretStringTemplate: '{"id":"initial"}',
    GenerateStringKey: 'secret',
    PasswordLength: 64,
    ExcludePunctuation: true,
  },
  StoresUpstreamSecret: {
    SecretStringTemplate: '{"companyId":"fill-in"}',
    GenerateStringKey: 'apiKey',
    ExcludePunctuation: true,
  },
};

const TABLE = {
  AttributeDefinitions: [
    { AttributeName: 'partition', AttributeType: 'S' },
    { AttributeName: 'sort', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'partition', KeyType: 'HASH' },
    { AttributeName: 'sort', KeyType: 'RANGE' },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
  SSESpecification: { SSEEnabled: true },
  DeletionProtectionEnabled: true,
};
const RECOVERABLE = {
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
};
const STREAMED = { StreamSpecification: { StreamViewType: 'KEYS_ONLY' } };
/** A protected table, which CloudFormation cannot delete, even if its creation is rolled back. */
const KEPT_ALWAYS = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };
const KEPT = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };

const COMMON_OUTPUTS = [
  'ApiId',
  'ApiUrl',
  'CreateProjectTaskArn',
  'CredentialsTableName',
  'DeleteProjectTaskArn',
  'DeliveriesTableName',
  'EventBusName',
  'EventSecretsPrefix',
  'GetProgressTaskArn',
  'ManifestsBucketName',
  'NextCommand',
  'PutProjectTaskArn',
  'SigningSecretArn',
  'TableName',
  'UsagePlanId',
  'WebhookSecretsPrefix',
  'FetchSecretsPrefix',
];
const OUTPUTS: Record<ServiceName, readonly string[]> = {
  hosted: [...COMMON_OUTPUTS, 'BucketName'],
  upstream: [...COMMON_OUTPUTS, 'UpstreamSecretArn', 'UpstreamUrl'],
};
const NEXT_COMMAND: Record<ServiceName, RegExp> = {
  hosted: /npx --no-install segue company add acme --stack Segue/,
  upstream: /aws secretsmanager put-secret-value .*StoresUpstreamSecret/,
};

/** Tests tables, buckets, bus, secrets and outputs. */
export function stores(template: Template, service: ServiceName): void {
  it('keeps tables and secrets when the stack is deleted, and cannot restore deliveries', () => {
    template.allResources('AWS::DynamoDB::Table', KEPT_ALWAYS);
    template.allResources('AWS::SecretsManager::Secret', KEPT);
    // The firewall's log has addresses of senders, and goes.
    const logs = Object.entries(template.findResources('AWS::Logs::LogGroup'));
    const kept = logs.filter(([id]) => !id.startsWith('ApiFirewallLog'));
    expect(kept).toHaveLength(logs.length - 1);
    for (const [, log] of kept) expect(log).toMatchObject(KEPT);
    expect(Object.fromEntries(propertiesOf(template, 'AWS::DynamoDB::Table'))).toEqual({
      StoresTable: { ...TABLE, ...STREAMED, ...RECOVERABLE },
      StoresCredentials: { ...TABLE, ...RECOVERABLE },
      StoresDeliveries: { ...TABLE, ...STREAMED },
    });
  });

  it('generates secrets with settings that never change: another setting would overwrite the live value', () => {
    const secrets = [...propertiesOf(template, 'AWS::SecretsManager::Secret')];
    const expected = Object.entries(SECRETS).filter(([id]) => service === 'upstream' || id !== 'StoresUpstreamSecret');
    expect(secrets).toEqual(
      expected.map(([id, GenerateSecretString]) => [id, { Description: expect.any(String), GenerateSecretString }]),
    );
  });

  it('deletes manifests and results after their retentions', () => {
    const { LifecycleConfiguration } = Object(propertiesOf(template, 'AWS::S3::Bucket').get('StoresManifests'));
    const { manifest, bulkResult } = RETENTIONS;
    expect(LifecycleConfiguration.Rules).toEqual([
      { Prefix: 'manifests/', ExpirationInDays: manifest.days, Status: 'Enabled' },
      { Prefix: 'index/', ExpirationInDays: manifest.days, Status: 'Enabled' },
      { Prefix: 'results/', ExpirationInDays: bulkResult.days, Status: 'Enabled' },
      { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
    ]);
  });

  const buckets = service === 'hosted' ? ['StoresBucket', 'StoresManifests'] : ['StoresManifests'];

  it('has private, encrypted buckets without versions, kept when the stack is deleted', () => {
    expect([...propertiesOf(template, 'AWS::S3::Bucket').keys()].sort()).toEqual(buckets);
    template.allResources('AWS::S3::Bucket', {
      ...KEPT,
      Properties: {
        VersioningConfiguration: Match.absent(),
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
      },
    });
  });

  it.each(buckets)('denies requests to %s without TLS 1.2, and allows none', (bucket) => {
    const { PolicyDocument } = Object(propertiesOf(template, 'AWS::S3::BucketPolicy').get(`${bucket}Policy`));
    expect(PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({ Effect: 'Deny', Condition: { NumericLessThan: { 's3:TlsVersion': 1.2 } } }),
    ]);
  });

  it('has these outputs, with the next command for the operator', () => {
    const outputs = template.findOutputs('*');
    expect(Object.keys(outputs).sort()).toEqual([...OUTPUTS[service]].sort());
    expect(JSON.stringify(outputs['NextCommand'])).toMatch(NEXT_COMMAND[service]);
  });
}
