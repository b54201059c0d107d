import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { S3StandIn } from '../../support/aws/s3.ts';
import { SecretsStandIn } from '../../support/aws/secrets.ts';
import { Refusal } from '../../support/aws/wire.ts';

/** The bucket of projects by reference. */
export const PROJECTS_FROM = 'exports-of-others';

const Put = z.object({ Entries: z.array(z.unknown()) });

/** The AWS services of one stack, on a free port. */
export interface Aws extends AsyncDisposable {
  readonly url: string;
  readonly dynamoDb: DynamoDbStandIn;
  readonly projectsFrom: S3StandIn;
  readonly deliveries: DynamoDbStandIn;
  readonly manifests: S3StandIn;
  /** The permissions that requests needed since the last call, as lines of `action on resource`. */
  takePermissions(): string[];
}

/** Serves the tables, buckets, secrets and bus of a stack, by their names in the template. */
export async function serveAws(secrets: Readonly<Record<string, unknown>>): Promise<Aws> {
  const dynamoDb = new DynamoDbStandIn('StoresTable');
  const deliveries = new DynamoDbStandIn('StoresDeliveries');
  const [own, projectsFrom] = [new S3StandIn('StoresBucket'), new S3StandIn(PROJECTS_FROM)];
  const manifests = new S3StandIn('StoresManifests');
  const bucketOf = (path: string) =>
    [projectsFrom, manifests].find(({ bucket }) => path.startsWith(`/${bucket}/`)) ?? own;
  const { operations } = new SecretsStandIn(secrets);
  const needed = new Set<string>();

  async function answer(request: IncomingMessage) {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { method = '', headers } = request;
    const target = headers['x-amz-target']?.toString();
    const body = await buffer(request);
    const sent = { method, path: pathname, query: Object.fromEntries(searchParams), headers, body };
    for (const action of actionsOf({ ...sent, target, body: body.toString('latin1') })) needed.add(action);
    if (target === undefined) return bucketOf(pathname).respond(sent);
    // no transaction uses both tables
    const table = body.includes(`"${deliveries.tableName}"`) ? deliveries : dynamoDb;
    if (target.startsWith('DynamoDB')) return table.respond(sent);
    const json: unknown = JSON.parse(body.toString());
    if (target === 'AWSEvents.PutEvents') {
      const Entries = Put.parse(json).Entries.map((_, n) => ({ EventId: `event ${n}` }));
      return ok({ FailedEntryCount: 0, Entries });
    }
    const [, respond] = Object.entries(operations).find(([name]) => target.endsWith(`.${name}`)) ?? [];
    if (!respond) throw new RangeError(`Unexpected ${target}`);
    try {
      return ok(respond(json));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { statusCode: error.status, headers: {}, body: JSON.stringify({ __type: error.name }) };
    }
  }

  const server = createServer(async (request, response) => {
    const { statusCode, headers, body } = await answer(request);
    response.writeHead(statusCode, { 'Content-Type': 'application/x-amz-json-1.1', ...headers });
    if (typeof body === 'string' || body instanceof Uint8Array) response.end(body);
    else body.pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    dynamoDb,
    projectsFrom,
    deliveries,
    manifests,
    takePermissions() {
      const lines = [...needed];
      needed.clear();
      return lines;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function ok(body: unknown) {
  return { statusCode: 200, headers: {}, body: JSON.stringify(body) };
}

/** The parts of a request that decide its permissions. */
interface AwsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Such as `DynamoDB_20120810.GetItem`. S3 has none. */
  readonly target?: string | undefined;
  readonly body: string;
}

const InTable = z.object({ TableName: z.string() });
const InTables = z.object({ RequestItems: z.record(z.string(), z.unknown()) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), InTable)) });
const OfSecret = z.object({ SecretId: z.string() });
const ToBus = z.object({ Entries: z.array(z.object({ EventBusName: z.string() })) });

/** The permissions that a request needs, as lines of `action on resource`. @throws {RangeError} for other requests */
function actionsOf({ method, path, query, target, body }: AwsRequest): string[] {
  if (target === undefined) return onBucket({ method, path, query, body });
  const [service = '', operation = ''] = target.split('.');
  const sent: unknown = JSON.parse(body);
  if (service === 'AWSEvents') {
    return ToBus.parse(sent).Entries.map(({ EventBusName }) => `events:${operation} on ${EventBusName}`);
  }
  if (service === 'secretsmanager') {
    // one permission covers all webhook secrets
    const name = OfSecret.parse(sent).SecretId.replace(/(?<=^segue\/.+\/webhooks\/).*/, '*');
    return [`secretsmanager:${operation} on ${name}`];
  }
  if (service !== 'DynamoDB_20120810') throw new RangeError(`Unexpected ${service}`);
  return onTable(operation, sent).map(([action, table]) => `dynamodb:${action} on ${table}`);
}

/** A transaction needs the actions of its parts, such as `UpdateItem` for `Update`. */
function onTable(operation: string, sent: unknown): (readonly [action: string, table: string])[] {
  if (operation === 'TransactWriteItems') {
    const parts = Transaction.parse(sent).TransactItems.flatMap(Object.entries<z.infer<typeof InTable>>);
    return parts.map(([part, { TableName }]) => [`${part}Item`, TableName]);
  }
  if (operation === 'BatchGetItem') {
    return Object.keys(InTables.parse(sent).RequestItems).map((table) => [operation, table]);
  }
  return [[operation, InTable.parse(sent).TableName]];
}

function onBucket({ method, path, query, body }: Omit<AwsRequest, 'target'>): string[] {
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
  // without ListBucket, S3 answers 403 for a missing object
  return [`s3:GetObject on ${objects}`, `s3:ListBucket on ${bucket}`];
}
