import { CfnElement, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct, IConstruct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';
import { type Grant, mayUse } from './grant.ts';

/** What each use of the bucket calls, on its objects and on itself. */
const ACTIONS = {
  // who may not list is told 403 of an object that is gone, in place of 404
  read: { objects: ['GetObject'], bucket: ['ListBucket'] },
  write: { objects: ['GetObject', 'PutObject'], bucket: ['ListBucket'] },
  sweep: { objects: ['DeleteObject', 'DeleteObjectVersion'], bucket: ['ListBucketVersions'] },
} as const;
export type BucketUse = keyof typeof ACTIONS;

/** The bucket for payloads that are too large for the table. */
export function makeBucket(scope: Construct, options: GatewayOptions): Bucket {
  return newBucket(scope, 'Bucket', options);
}

/** A bucket that is private and keeps no versions: what is deleted is gone. */
export function newBucket(
  scope: Construct,
  id: string,
  { keepsData, encryptionKey }: GatewayOptions,
  props: BucketProps = {},
): Bucket {
  const bucket = new Bucket(scope, id, {
    ...props,
    versioned: false,
    encryption: encryptionKey ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
    ...(encryptionKey && { encryptionKey, bucketKeyEnabled: true }),
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'Nobody but the functions may read or write it, and each of them logs its requests; access logs would outlive what was deleted.',
  });
  return bucket;
}

/** Using the bucket. */
export function grantBucket(bucket: IBucket, use: BucketUse): Grant {
  const { objects, bucket: itself } = ACTIONS[use];
  const prefixed = (actions: readonly string[]) => actions.map((action) => `s3:${action}`);
  return {
    statements: [
      new PolicyStatement({ actions: prefixed(objects), resources: [bucket.arnForObjects('*')] }),
      new PolicyStatement({ actions: prefixed(itself), resources: [bucket.bucketArn] }),
      ...(use === 'sweep' ? [] : mayUse(bucket.encryptionKey, 's3', use)),
    ],
    environment: { SEGUE_BUCKET: bucket.bucketName },
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::<${logicalIdOf(bucket)}.Arn>/*]`]:
        'An object has a name that is made with it: any object of the one bucket is what is meant.',
    },
  };
}

/** As the rule packs name it. */
export function logicalIdOf(construct: IConstruct): string {
  const { defaultChild } = construct.node;
  if (!(defaultChild instanceof CfnElement)) throw new TypeError('It is not of this stack');
  return Stack.of(construct).getLogicalId(defaultChild);
}
