import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import type { GatewayOptions } from '../options.ts';
import { logicalIdOf, newBucket } from './buckets.ts';
import { type Grant, mayUse } from './grant.ts';

/** What each use does under which beginnings of names; behind these comes a company's id. */
const ACTIONS = {
  index: { read: ['manifests'], write: ['index'] },
  read: { read: ['manifests'], write: [] },
} as const;
export type ManifestsUse = keyof typeof ACTIONS;

// A redrive after the manifest is gone fails, and nothing is done: a new run uploads it again.
const MANIFEST_DAYS = RETENTIONS.manifest.days;
const RESULT_DAYS = RETENTIONS.bulkResult.days;

/** The bucket for manifests of bulk runs, which hold content, for where their entries are, and for what became of these. */
export function makeManifests(scope: Construct, options: GatewayOptions): Bucket {
  const expired = (prefix: string, days: number) => ({ prefix, expiration: Duration.days(days) });
  return newBucket(scope, 'Manifests', options, {
    lifecycleRules: [
      expired('manifests/', MANIFEST_DAYS),
      expired('index/', MANIFEST_DAYS),
      expired('results/', RESULT_DAYS),
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
}

/** Using the bucket of manifests. */
export function grantManifests(bucket: IBucket, use: ManifestsUse): Grant {
  const { read, write } = ACTIONS[use];
  const below = (names: readonly string[]) => names.map((name) => bucket.arnForObjects(`${name}/*`));
  const id = logicalIdOf(bucket);
  return {
    statements: [
      new PolicyStatement({ actions: ['s3:GetObject'], resources: below(read) }),
      // who may not list is told 403 of a manifest that is gone, in place of 404
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }),
      ...(write.length > 0 ? [new PolicyStatement({ actions: ['s3:PutObject'], resources: below(write) })] : []),
      ...mayUse(bucket.encryptionKey, 's3', write.length > 0 ? 'write' : 'read'),
    ],
    environment: { SEGUE_MANIFESTS: bucket.bucketName },
    acknowledged: Object.fromEntries(
      [...read, ...write].map((name) => [
        `AwsSolutions-IAM5[Resource::<${id}.Arn>/${name}/*]`,
        'The company of a state machine stands in its definition, and one function works for all of them.',
      ]),
    ),
  };
}
