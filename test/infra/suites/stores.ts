import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import type { ServiceName } from '../../../infra/functions/catalogue.ts';
import { RETENTIONS } from '../../../lib/contract/retentions.ts';
import { propertiesOf } from '../template.ts';

const SIGNING_SECRET = {
  Description: expect.any(String),
  // changed in any way, this would overwrite the keys that were rotated in
  GenerateSecretString: {
    SecretStringTemplate: '{"id":"initial"}',
    GenerateStringKey: 'secret',
    PasswordLength: 64,
    ExcludePunctuation: true,
  },
};
const UPSTREAM_SECRET = {
  Description: expect.any(String),
  // changed in any way, this would overwrite what the operator filled in
  GenerateSecretString: {
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
  StreamSpecification: { StreamViewType: 'KEYS_ONLY' },
};

/** Tables, bucket, bus and secrets. */
export function stores(template: Template, service: ServiceName): void {
  it('has two tables, paid by use, encrypted, kept when the stack goes: one recoverable for a week', () => {
    const tables = propertiesOf(template, 'AWS::DynamoDB::Table');
    expect([...tables.keys()].sort()).toEqual(['StoresDeliveries', 'StoresTable']);
    template.allResources('AWS::DynamoDB::Table', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(tables.get('StoresTable')).toEqual({
      ...TABLE,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
    });
  });

  it('cannot bring back what webhooks brought', () => {
    expect(propertiesOf(template, 'AWS::DynamoDB::Table').get('StoresDeliveries')).toEqual(TABLE);
  });

  it('keeps the secrets when the stack goes: somebody may have no other copy', () => {
    template.allResources('AWS::SecretsManager::Secret', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('has the secrets generated where they are kept: the template says none', () => {
    expect(Object.fromEntries(propertiesOf(template, 'AWS::SecretsManager::Secret'))).toEqual({
      StoresSigningSecret: SIGNING_SECRET,
      ...(service === 'upstream' && { StoresUpstreamSecret: UPSTREAM_SECRET }),
    });
  });

  it('has a bus of its own for events', () => {
    template.resourceCountIs('AWS::Events::EventBus', 1);
  });

  it('has a bucket for manifests, whose content goes when their keys go, and their results later', () => {
    const { LifecycleConfiguration } = Object(propertiesOf(template, 'AWS::S3::Bucket').get('StoresManifests'));
    const expired = (Prefix: string, ExpirationInDays: number) => ({ Prefix, ExpirationInDays, Status: 'Enabled' });
    expect(LifecycleConfiguration.Rules).toEqual([
      expired('manifests/', 7),
      expired('index/', 7),
      expired('results/', 30),
      { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
    ]);
  });

  it('keeps manifests and results as long as the table of retentions says', () => {
    const { LifecycleConfiguration } = Object(propertiesOf(template, 'AWS::S3::Bucket').get('StoresManifests'));
    const { manifest, bulkResult } = RETENTIONS;
    expect(LifecycleConfiguration.Rules).toMatchObject([
      { ExpirationInDays: manifest.days },
      { ExpirationInDays: manifest.days },
      { ExpirationInDays: bulkResult.days },
      {},
    ]);
  });

  const buckets = service === 'hosted' ? ['StoresBucket', 'StoresManifests'] : ['StoresManifests'];

  it('has these buckets, private, encrypted, without versions, kept when the stack goes', () => {
    expect([...propertiesOf(template, 'AWS::S3::Bucket').keys()].sort()).toEqual(buckets);
    template.allResources('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
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

  it.each(buckets)('lets nobody into %s without TLS 1.2, and nobody but by a role', (bucket) => {
    const denials = [
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      { Effect: 'Deny', Condition: { NumericLessThan: { 's3:TlsVersion': 1.2 } } },
    ];
    const { PolicyDocument } = Object(propertiesOf(template, 'AWS::S3::BucketPolicy').get(`${bucket}Policy`));
    expect(PolicyDocument.Statement).toMatchObject(denials);
    expect(PolicyDocument.Statement).toHaveLength(denials.length);
  });
}
