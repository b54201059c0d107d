import * as z from 'zod/mini';

/** A request to AWS, as far as IAM judges it. */
export interface AwsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** `DynamoDB_20120810.GetItem`; S3 has none. */
  readonly target?: string | undefined;
  readonly body: string;
}

/** A bucket that holds projects by reference: of it objects are read, and whether they are there is nobody's to know. */
export const PROJECTS_FROM = 'exports-of-others';

const InTable = z.object({ TableName: z.string() });
const InTables = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), InTable)) });
const OfSecret = z.object({ SecretId: z.string() });
const ToBus = z.object({ Entries: z.array(z.object({ EventBusName: z.string() })) });

/** What a request has to be allowed, as lines of `action on resource`. @throws for one that is none of these */
export function actionsOf({ method, path, query, target, body }: AwsRequest): string[] {
  if (target === undefined) return onBucket({ method, path, query, body });
  const [service = '', operation = ''] = target.split('.');
  const asked: unknown = JSON.parse(body);
  if (service === 'AWSEvents') {
    return ToBus.parse(asked).Entries.map(({ EventBusName }) => `events:${operation} on ${EventBusName}`);
  }
  if (service === 'secretsmanager') {
    // the secrets of webhooks are allowed all together
    const name = OfSecret.parse(asked).SecretId.replace(/(?<=^segue\/.+\/webhooks\/).*/, '*');
    return [`secretsmanager:${operation} on ${name}`];
  }
  if (service !== 'DynamoDB_20120810') throw new RangeError(`Nothing here is ${service}`);
  return onTable(operation, asked).map(([action, table]) => `dynamodb:${action} on ${table}`);
}

/** A transaction is allowed by the actions of its parts: `Update` by `UpdateItem`, `ConditionCheck` by `ConditionCheckItem`. */
function onTable(operation: string, asked: unknown): (readonly [action: string, table: string])[] {
  if (operation === 'TransactWriteItems') {
    const parts = Transaction.parse(asked).TransactItems.flatMap(Object.entries<z.infer<typeof InTable>>);
    return parts.map(([part, { TableName }]) => [`${part}Item`, TableName]);
  }
  if (operation === 'BatchGetItem') {
    return Object.keys(InTables.parse(asked).RequestItems).map((table) => [operation, table]);
  }
  return [[operation, InTable.parse(asked).TableName]];
}

function onBucket({ method, path, query, body }: Omit<AwsRequest, 'target'>): string[] {
  const [, bucket = '', beginning = ''] = path.split('/');
  // what is in the bucket of manifests is told apart by how its name begins
  const objects = bucket === 'StoresManifests' ? `${bucket}/${beginning}/*` : `${bucket}/*`;
  if (method === 'PUT') return [`s3:PutObject on ${objects}`];
  if (method === 'POST' && 'delete' in query) {
    const ofVersions = body.includes('<VersionId>') ? [`s3:DeleteObjectVersion on ${objects}`] : [];
    return [`s3:DeleteObject on ${objects}`, ...ofVersions];
  }
  if (method !== 'GET') throw new RangeError(`Nothing here is ${method} of an object`);
  if ('versions' in query) return [`s3:ListBucketVersions on ${bucket}`];
  if (bucket === PROJECTS_FROM) {
    return [`${'versionId' in query ? 's3:GetObjectVersion' : 's3:GetObject'} on ${objects}`];
  }
  // who may not list is told 403 of an object that is gone, in place of 404
  return [`s3:GetObject on ${objects}`, `s3:ListBucket on ${bucket}`];
}
