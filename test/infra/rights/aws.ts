import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { DynamoDbStandIn } from '../../support/aws/dynamodb.ts';
import { S3StandIn } from '../../support/aws/s3.ts';
import { SecretsStandIn } from '../../support/aws/secrets.ts';
import { Refusal } from '../../support/aws/wire.ts';
import { actionsOf, PROJECTS_FROM } from './actions.ts';

const Put = z.object({ Entries: z.array(z.unknown()) });

/** The AWS of one stack, on one free port of this machine, which notes what it is asked for. */
export interface Aws extends AsyncDisposable {
  readonly url: string;
  readonly dynamoDb: DynamoDbStandIn;
  /** The bucket with projects by reference. */
  readonly projectsFrom: S3StandIn;
  /** The table of what webhooks brought. */
  readonly deliveries: DynamoDbStandIn;
  /** The bucket of bulk runs. */
  readonly manifests: S3StandIn;
  /** What was asked for since this was last called, each once, as lines of `action on resource`. */
  taken(): string[];
}

/** Serves tables, bucket, secrets and bus of a stack by the names of the template. */
export async function serveAws(secrets: Readonly<Record<string, unknown>>): Promise<Aws> {
  const dynamoDb = new DynamoDbStandIn('StoresTable');
  const deliveries = new DynamoDbStandIn('StoresDeliveries');
  const [own, projectsFrom] = [new S3StandIn('StoresBucket'), new S3StandIn(PROJECTS_FROM)];
  const manifests = new S3StandIn('StoresManifests');
  const bucketOf = (path: string) =>
    [projectsFrom, manifests].find(({ bucket }) => path.startsWith(`/${bucket}/`)) ?? own;
  const { operations } = new SecretsStandIn(secrets);
  const noted = new Set<string>();

  async function answer(request: IncomingMessage) {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { method = '', headers } = request;
    const target = headers['x-amz-target']?.toString();
    const body = await buffer(request);
    const asked = { method, path: pathname, query: Object.fromEntries(searchParams), headers, body };
    for (const action of actionsOf({ ...asked, target, body: body.toString('latin1') })) noted.add(action);
    if (target === undefined) return bucketOf(pathname).respond(asked);
    // no transaction is about both
    const table = body.includes(`"${deliveries.tableName}"`) ? deliveries : dynamoDb;
    if (target.startsWith('DynamoDB')) return table.respond(asked);
    const json: unknown = JSON.parse(body.toString());
    if (target === 'AWSEvents.PutEvents') {
      const Entries = Put.parse(json).Entries.map((_, n) => ({ EventId: `event ${n}` }));
      return ok({ FailedEntryCount: 0, Entries });
    }
    const [, respond] = Object.entries(operations).find(([name]) => target.endsWith(`.${name}`)) ?? [];
    if (!respond) throw new RangeError(`Nothing here is ${target}`);
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
    taken() {
      const lines = [...noted];
      noted.clear();
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
