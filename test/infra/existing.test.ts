import { expect, it } from 'vitest';
import { SettingError } from '../../infra/setting-error.ts';
import { EVERY_OPTION, EXISTING } from '../../tools/contexts.ts';
import { synthesise } from './synthesise.ts';
import { allowedBy, propertiesOf, variablesOf } from './template.ts';

const KEY = EVERY_OPTION['encryptionKeyArn'];
const template = await synthesise('hosted', { ...EXISTING, encryptionKeyArn: KEY });
const roleOf = (name: string) => propertiesOf(template, 'AWS::IAM::Role').get(`${name}Role`);

it('uses the kept tables and bucket, and makes none in their place', () => {
  template.resourceCountIs('AWS::DynamoDB::Table', 0);
  expect([...propertiesOf(template, 'AWS::S3::Bucket').keys()]).toEqual(['StoresManifests']);
  expect(variablesOf(template, 'deliveries')).toMatchObject({
    SEGUE_TABLE: 'Segue-restored',
    SEGUE_CREDENTIALS_TABLE: 'Segue-credentials',
    SEGUE_DELIVERIES_TABLE: 'Segue-kept',
    SEGUE_BUCKET: 'segue-kept',
  });
  template.hasOutput('TableName', { Value: 'Segue-restored' });
  template.hasOutput('CredentialsTableName', { Value: 'Segue-credentials' });
  template.hasOutput('DeliveriesTableName', { Value: 'Segue-kept' });
  template.hasOutput('BucketName', { Value: 'segue-kept' });
});

it('listens to their streams, and may read them', () => {
  const mappings = JSON.stringify(Object.fromEntries(propertiesOf(template, 'AWS::Lambda::EventSourceMapping')));
  expect(mappings.match(/:table\/Segue-restored\/stream\/2026-11-20T09:30:00\.000/g)).toHaveLength(2);
  expect(mappings.match(/:table\/Segue-kept\/stream\/2026-10-01T00:00:00\.000/g)).toHaveLength(2);
  const table = 'arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table';
  expect(allowedBy(roleOf('PublishEvents'))).toEqual(
    expect.arrayContaining([
      `dynamodb:GetRecords on ${table}/Segue-restored/stream/2026-11-20T09:30:00.000`,
      `dynamodb:GetItem on ${table}/Segue-restored`,
      `dynamodb:UpdateItem on ${table}/Segue-kept`,
      `kms:Decrypt on ${KEY}`,
    ]),
  );
  expect(allowedBy(roleOf('ReadProjects'))).toContain('s3:GetObject on segue-kept/*');
});

it('makes new versions of the functions, because their environment names other tables', async () => {
  const { existingTable, existingCredentialsTable } = EXISTING;
  const [before, after] = await Promise.all([
    synthesise('hosted', { rollout: 'at-once' }),
    synthesise('hosted', { rollout: 'at-once', existingTable, existingCredentialsTable }),
  ]);
  const versions = [before, after].map((each) => Object.keys(each.findResources('AWS::Lambda::Version')));
  const same = versions[0]?.filter((id) => versions[1]?.includes(id)) ?? [];
  expect(same.map((id) => id.replace(/LambdaCurrentVersion.*/, '')).sort()).toEqual(['Pages']);
});

it('refuses a bucket of payloads in front of an upstream service', async () => {
  await expect(synthesise('upstream', { existingBucket: 'segue-kept' })).rejects.toThrow(SettingError);
});
