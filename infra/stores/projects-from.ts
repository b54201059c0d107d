import { CfnElement, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { type Grant, mayUse } from './grant.ts';

/**
 * Reading projects by reference from a bucket, in which others write them. To whoever may not list it S3 says the same of an object that is
 * gone as of one that may not be read, and so does the task.
 */
export function grantProjectsFrom(bucket: IBucket): Grant {
  return {
    statements: [
      new PolicyStatement({
        actions: ['s3:GetObject', 's3:GetObjectVersion'],
        resources: [bucket.arnForObjects('*')],
      }),
      ...mayUse(bucket.encryptionKey, 's3', 'read'),
    ],
    environment: {},
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::${arnInFindings(bucket)}/*]`]:
        'A workflow names the object: any object of the buckets that are allowed is what is meant.',
    },
  };
}

/** As the rule packs write it. */
function arnInFindings(bucket: IBucket): string {
  const { defaultChild } = bucket.node;
  return defaultChild instanceof CfnElement
    ? `<${Stack.of(bucket).getLogicalId(defaultChild)}.Arn>`
    : `arn:<AWS::Partition>:s3:::${bucket.bucketName}`;
}
