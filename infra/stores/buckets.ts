import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type IBucket,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { acknowledge, logicalIdOf } from '../acknowledge.ts';
import type { ManifestAccess, PayloadAccess } from '../functions/function-spec.ts';
import type { GatewayOptions } from '../options.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { type Grant, keyStatements } from './grant.ts';

// With ListBucket, S3 answers 404 for a missing object. Without ListBucket, it answers 403.
const PAYLOAD_ACTIONS = {
  read: { objects: ['s3:GetObject'], bucket: ['s3:ListBucket'] },
  write: { objects: ['s3:GetObject', 's3:PutObject'], bucket: ['s3:ListBucket'] },
  sweep: { objects: ['s3:DeleteObject', 's3:DeleteObjectVersion'], bucket: ['s3:ListBucketVersions'] },
} satisfies Record<PayloadAccess, object>;

// The prefixes of the object keys that a function may read and write. The company's id follows the prefix.
const MANIFEST_PREFIXES = {
  writeIndex: { read: ['manifests'], write: ['index'] },
  read: { read: ['manifests'], write: [] },
} as const satisfies Record<ManifestAccess, object>;

/** Creates the bucket of payloads that are too large for the table. */
export function createPayloadBucket(scope: Construct, options: GatewayOptions): Bucket {
  return createBucket(scope, 'Bucket', options);
}

/** Creates the bucket of bulk runs: manifests, their indexes, and results. */
export function createManifestBucket(scope: Construct, options: GatewayOptions): Bucket {
  const expire = (prefix: string, { days }: { readonly days: number }) => ({ prefix, expiration: Duration.days(days) });
  return createBucket(scope, 'Manifests', options, {
    lifecycleRules: [
      expire('manifests/', RETENTIONS.manifest),
      expire('index/', RETENTIONS.manifest),
      expire('results/', RETENTIONS.bulkResult),
      { abortIncompleteMultipartUploadAfter: Duration.days(1) },
    ],
  });
}

function createBucket(scope: Construct, id: string, options: GatewayOptions, props: BucketProps = {}): Bucket {
  const { encryptionKey } = options;
  const bucket = new Bucket(scope, id, {
    ...props,
    // With versions, the content of a deleted object would remain.
    versioned: false,
    encryption: encryptionKey ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
    ...(encryptionKey && { encryptionKey, bucketKeyEnabled: true }),
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: removalPolicyOf(options),
  });
  // A kept bucket keeps its policy, which a later stack that uses the bucket does not add.
  bucket.policy?.applyRemovalPolicy(removalPolicyOf(options));
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'Only the functions read and write the bucket, and each function logs its requests. Access logs would outlive deleted projects.',
  });
  return bucket;
}

/** Grants access to the payload bucket. */
export function grantPayloads(bucket: IBucket, access: PayloadAccess): Grant {
  const actions = PAYLOAD_ACTIONS[access];
  return {
    statements: [
      new PolicyStatement({ actions: actions.objects, resources: [bucket.arnForObjects('*')] }),
      new PolicyStatement({ actions: actions.bucket, resources: [bucket.bucketArn] }),
      ...(access === 'sweep' ? [] : keyStatements(bucket.encryptionKey, 's3', access)),
    ],
    environment: { SEGUE_BUCKET: bucket.bucketName },
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::${foundArnOf(bucket)}/*]`]:
        'The names of objects are generated, so the function needs every object of this bucket.',
    },
  };
}

/** Grants access to the manifest bucket. */
export function grantManifests(bucket: IBucket, access: ManifestAccess): Grant {
  const { read, write } = MANIFEST_PREFIXES[access];
  const isWriting = write.length > 0;
  const objectsIn = (prefixes: readonly string[]) => prefixes.map((prefix) => bucket.arnForObjects(`${prefix}/*`));
  return {
    statements: [
      new PolicyStatement({ actions: ['s3:GetObject'], resources: objectsIn(read) }),
      // With ListBucket, S3 answers 404 for an expired manifest. Without ListBucket, it answers 403.
      new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }),
      ...(isWriting ? [new PolicyStatement({ actions: ['s3:PutObject'], resources: objectsIn(write) })] : []),
      ...keyStatements(bucket.encryptionKey, 's3', isWriting ? 'write' : 'read'),
    ],
    environment: { SEGUE_MANIFESTS: bucket.bucketName },
    acknowledged: Object.fromEntries(
      [...read, ...write].map((prefix) => [
        `AwsSolutions-IAM5[Resource::<${logicalIdOf(bucket)}.Arn>/${prefix}/*]`,
        'One function serves every company. The state machine of a company fixes its id.',
      ]),
    ),
  };
}

/**
 * Grants reading a bucket of the option `projectsFrom`, from whose objects workflows create projects. The grant does
 * not include ListBucket, so S3 answers 403 for both missing and forbidden objects.
 */
export function grantProjectsFrom(bucket: IBucket): Grant {
  return {
    statements: [
      new PolicyStatement({ actions: ['s3:GetObject', 's3:GetObjectVersion'], resources: [bucket.arnForObjects('*')] }),
      ...keyStatements(bucket.encryptionKey, 's3', 'read'),
    ],
    environment: {},
    acknowledged: {
      [`AwsSolutions-IAM5[Resource::${foundArnOf(bucket)}/*]`]:
        'A workflow chooses the object, so the function needs every object of this bucket.',
    },
  };
}

/** Returns the ARN of a bucket as findings of cdk-nag write it. The bucket may belong to another stack. */
function foundArnOf(bucket: IBucket): string {
  const id = logicalIdOf(bucket);
  return id === undefined ? `arn:<AWS::Partition>:s3:::${bucket.bucketName}` : `<${id}.Arn>`;
}
