import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { portOf } from '../../lib/upstream/server.ts';
import type { DynamoDbStandIn } from './dynamodb.ts';
import type { S3StandIn } from './s3.ts';
import { SecretsManagerStandIn } from './secrets-manager.ts';

const Batch = z.object({ Entries: z.array(z.object({ Id: z.string() })) });
const Text = z.object({ Text: z.string() });
const Document = z.object({ Document: z.object({ Content: z.string() }) });
const Put = z.object({ Entries: z.array(z.unknown()) });

/** A request to AWS. */
export interface AwsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The operation, such as `DynamoDB_20120810.GetItem`. S3 has none. */
  readonly target: string | undefined;
  readonly body: Buffer;
}

/** The AWS services of one stack, on a free port. */
export interface Aws extends AsyncDisposable {
  readonly url: string;
  /** All requests so far. */
  readonly requests: AwsRequest[];
}

interface AwsOptions {
  readonly tables?: readonly DynamoDbStandIn[];
  readonly buckets?: readonly S3StandIn[];
  /** The first value of each secret, by its name. */
  readonly secrets?: Readonly<Record<string, unknown>>;
}

/**
 * Serves tables, buckets, secrets, any event bus, any queue, and Amazon Translate, which returns each text unchanged. It refuses requests for other tables, and answers other paths with
 * 404, like an upstream service without projects.
 */
export async function serveAws({ tables = [], buckets = [], secrets = {} }: AwsOptions): Promise<Aws> {
  const requests: AwsRequest[] = [];
  const secretsManager = new SecretsManagerStandIn();
  for (const [name, value] of Object.entries(secrets)) secretsManager.add(name, JSON.stringify(value));

  async function answer(request: IncomingMessage) {
    const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { method = '', headers } = request;
    const target = headers['x-amz-target']?.toString();
    const body = await buffer(request);
    const sent = { method, path, query: Object.fromEntries(searchParams), headers, body };
    requests.push({ ...sent, target });
    if (path === '/v2/email/outbound-emails') return json(200, { MessageId: 'message' });
    if (target === undefined) {
      return buckets.find(({ bucket }) => path.startsWith(`/${bucket}/`))?.respond(sent) ?? json(404, {});
    }
    if (target.startsWith('secretsmanager.')) return secretsManager.respond(sent);
    if (target === 'AWSEvents.PutEvents') {
      const Entries = Put.parse(JSON.parse(body.toString())).Entries.map((_, n) => ({ EventId: `event ${n}` }));
      return json(200, { FailedEntryCount: 0, Entries });
    }
    if (target === 'AmazonSQS.SendMessageBatch') {
      return json(200, { Successful: Batch.parse(JSON.parse(body.toString())).Entries });
    }
    if (target.startsWith('AWSStepFunctions.')) {
      // Executions wait only for tokens that begin so.
      return body.includes('"taskToken":"held') ? json(200, {}) : json(400, { __type: 'TaskTimedOut' });
    }
    if (target.startsWith('AWSShineFrontendService_20170701.'))
      return json(200, translated(JSON.parse(body.toString())));
    const table = tables.find((each) =>
      [each.tableName, each.credentialsTable].some((name) => body.includes(`"${name}"`)),
    );
    return table?.respond(sent) ?? json(400, { __type: 'AccessDeniedException' });
  }

  const server = createServer(async (request, response) => {
    const { statusCode, headers, body } = await answer(request);
    response.writeHead(statusCode, { 'Content-Type': 'application/x-amz-json-1.1', ...headers });
    if (body instanceof Uint8Array) response.end(body);
    else body.pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function translated(request: unknown) {
  const { data } = Text.safeParse(request);
  return data ? { TranslatedText: data.Text } : { TranslatedDocument: Document.parse(request).Document };
}

function json(statusCode: number, body: unknown) {
  return { statusCode, headers: { 'Content-Type': 'application/json' }, body: Buffer.from(JSON.stringify(body)) };
}
