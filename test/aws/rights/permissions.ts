import * as z from 'zod/mini';
import { CREDENTIALS } from '../../../lib/storage/port.ts';
import type { AwsRequest } from '../../support/aws/server.ts';

/** The bucket of projects by reference. */
export const PROJECTS_FROM = 'exports-of-others';

/** A part of a request that names one item, or the partition of a query. */
const InTable = z.object({
  TableName: z.string(),
  Key: z.optional(z.object({ partition: z.object({ S: z.string() }) })),
  ExpressionAttributeValues: z.optional(z.object({ ':partition': z.optional(z.object({ S: z.string() })) })),
});
const InTables = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), InTable)) });
const OfSecret = z.union([z.object({ SecretId: z.string() }), z.object({ Name: z.string() })]);
const ToQueue = z.object({ QueueUrl: z.string() });
const FromAddress = z.object({ FromEmailAddress: z.string() });
const ToBus = z.object({ Entries: z.array(z.object({ EventBusName: z.string() })) });

/**
 * Returns the permissions that a request needs, as lines of `action on resource`.
 * @throws {RangeError} for other requests
 */
export function permissionsFor({ target, ...request }: AwsRequest): string[] {
  const body = request.body.toString('latin1');
  if (request.path === '/v2/email/outbound-emails') return onIdentities(body);
  if (target === undefined) return onBucket({ ...request, body });
  const [service = '', operation = ''] = target.split('.');
  const sent: unknown = JSON.parse(body);
  if (service === 'AWSEvents') {
    return ToBus.parse(sent).Entries.map(({ EventBusName }) => `events:${operation} on ${EventBusName}`);
  }
  if (service === 'AmazonSQS') {
    return [`sqs:${operation.replace(/Batch$/, '')} on ${ToQueue.parse(sent).QueueUrl}`];
  }
  if (service === 'AWSStepFunctions') return [`states:${operation} on *`];
  if (service === 'AWSShineFrontendService_20170701') return [`translate:${operation} on *`];
  if (service === 'secretsmanager') {
    const secret = OfSecret.parse(sent);
    // One permission covers all secrets of one kind.
    const name = 'SecretId' in secret ? secret.SecretId : secret.Name;
    const all = name.replace(/(?<=^segue\/.+\/(?:webhooks|fetches|events|destinations)\/).*/, '*');
    return [`secretsmanager:${operation} on ${all}`];
  }
  if (service !== 'DynamoDB_20120810') throw new RangeError(`Unexpected ${service}`);
  return onTable(operation, sent).map(([action, table]) => `dynamodb:${action} on ${table}`);
}

/**
 * Returns the resource of a part of a request: its table, and for a credential the kind of its partition.
 */
function resourceOf({ TableName, Key, ExpressionAttributeValues }: z.infer<typeof InTable>): string {
  const partition = Key?.partition.S ?? ExpressionAttributeValues?.[':partition']?.S ?? '';
  if (!partition.startsWith(CREDENTIALS)) return TableName;
  return `${TableName} of ${partition.replace(/^([^/]+\/[^/]+\/).*/, '$1*')}`;
}

/**
 * Returns the actions of a request on its table. A transaction needs the actions of its parts, such as `UpdateItem`.
 */
function onTable(operation: string, sent: unknown): (readonly [action: string, table: string])[] {
  if (operation === 'TransactWriteItems') {
    const parts = Transaction.parse(sent).TransactItems.flatMap(Object.entries<z.infer<typeof InTable>>);
    return parts.map(([part, item]) => [`${part}Item`, resourceOf(item)]);
  }
  if (operation === 'BatchGetItem') {
    return Object.keys(InTables.parse(sent).RequestItems).map((table) => [operation, table]);
  }
  return [[operation, resourceOf(InTable.parse(sent))]];
}

/**
 * Returns the permissions to send an e-mail. SES checks the identity of the address, or that of its domain, and the default
 * configuration set of the identity.
 */
function onIdentities(body: string): string[] {
  const { FromEmailAddress: from } = FromAddress.parse(JSON.parse(body));
  const names = [`identity/${from}`, `identity/${from.slice(from.indexOf('@') + 1)}`, 'configuration-set/*'];
  return names.map((name) => `ses:SendEmail on arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:${name}`);
}

function onBucket({
  method,
  path,
  query,
  body,
}: Omit<AwsRequest, 'target' | 'body'> & { readonly body: string }): string[] {
  const [, bucket = '', prefix = ''] = path.split('/');
  const objects = bucket === 'StoresManifests' ? `${bucket}/${prefix}/*` : `${bucket}/*`;
  if (method === 'PUT') return [`s3:PutObject on ${objects}`];
  if (method === 'POST' && 'delete' in query) {
    const ofVersions = body.includes('<VersionId>') ? [`s3:DeleteObjectVersion on ${objects}`] : [];
    return [`s3:DeleteObject on ${objects}`, ...ofVersions];
  }
  if (method !== 'GET') throw new RangeError(`Unexpected ${method} of an object`);
  if ('versions' in query) return [`s3:ListBucketVersions on ${bucket}`];
  if (bucket === PROJECTS_FROM) {
    return [`${'versionId' in query ? 's3:GetObjectVersion' : 's3:GetObject'} on ${objects}`];
  }
  // Without ListBucket, S3 answers 403 for a missing object.
  return [`s3:GetObject on ${objects}`, `s3:ListBucket on ${bucket}`];
}
