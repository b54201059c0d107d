import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { NEW_COMPANY } from '../../lib/credentials/company-record.ts';

const GetSecretValue = z.object({ SecretId: z.string() });
const CompanyItem = z.object({ Key: z.object({ sort: z.object({ S: z.literal('company') }) }) });
const COMPANY = { version: { N: '1' }, data: { S: JSON.stringify(NEW_COMPANY) } };

/** AWS on a free port. */
export interface Aws extends AsyncDisposable {
  readonly url: string;
  /** The operations of all requests so far. */
  readonly targets: string[];
}

/** The answers by operation: the table has companies only and accepts every change, and the bus every event. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  GetItem: {},
  BatchGetItem: { Responses: {} },
  Query: { Items: [] },
  TransactWriteItems: {},
  PutEvents: { FailedEntryCount: 0, Entries: [{ EventId: 'event' }] },
};

/**
 * Serves secrets by name, a DynamoDB table with every company, an event bus, and a bucket that accepts every object. It
 * answers other requests with 404, like an upstream service without projects.
 */
export async function serveAws(
  secrets: Readonly<Record<string, unknown>>,
  { refuses = false }: { readonly refuses?: boolean } = {},
): Promise<Aws> {
  const targets: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const target = String(request.headers['x-amz-target']);
    targets.push(target);
    const action = target.replace(/^.*\./, '');
    response.setHeader('Content-Type', 'application/x-amz-json-1.0');
    if (refuses) {
      response.writeHead(400).end(JSON.stringify({ __type: 'AccessDeniedException' }));
    } else if (action === 'GetSecretValue') {
      const { SecretId } = GetSecretValue.parse(JSON.parse(body));
      response.end(JSON.stringify({ Name: SecretId, SecretString: JSON.stringify(secrets[SecretId]) }));
    } else if (action === 'GetItem' && CompanyItem.safeParse(JSON.parse(body)).success) {
      response.end(JSON.stringify({ Item: { ...JSON.parse(body).Key, ...COMPANY } }));
    } else if (action in ANSWERS) {
      response.end(JSON.stringify(ANSWERS[action]));
    } else if (request.method === 'PUT') {
      response.end();
    } else {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    targets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
