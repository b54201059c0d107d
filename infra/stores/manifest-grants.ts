import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { COMPANY_ID } from '../../lib/contract/basic-credentials.ts';
import { SettingError } from '../setting-error.ts';
import { COMPANY_ID_RULE } from '../workflow/bulk.ts';

/**
 * Allows writing the manifests of a company, or of all companies.
 * @throws {SettingError} if the id is no id of a company
 */
export function grantWriteManifests(bucket: IBucket, grantee: IGrantable, companyId?: string): Grant {
  return bucket.grantPut(grantee, below('manifests', companyId));
}

/**
 * Allows listing and reading the results of a company, or of all companies.
 * @throws {SettingError} if the id is no id of a company
 */
export function grantReadResults(bucket: IBucket, grantee: IGrantable, companyId?: string): Grant {
  const pattern = below('results', companyId);
  const read = Grant.addToPrincipal({
    grantee,
    actions: ['s3:GetObject'],
    resourceArns: [bucket.arnForObjects(pattern)],
  });
  const list = Grant.addToPrincipal({
    grantee,
    actions: ['s3:ListBucket'],
    resourceArns: [bucket.bucketArn],
    // The names of other objects tell of other companies.
    conditions: { StringLike: { 's3:prefix': pattern } },
  });
  const both = read.combine(list);
  const key = bucket.encryptionKey?.grantDecrypt(grantee);
  return key ? both.combine(key) : both;
}

/** Returns the pattern of the keys of objects. */
function below(prefix: 'manifests' | 'results', companyId = '*'): string {
  if (companyId !== '*' && !COMPANY_ID.test(companyId)) throw new SettingError(COMPANY_ID_RULE);
  return `${prefix}/${companyId}/*`;
}
