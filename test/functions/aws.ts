import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { NEW_COMPANY } from '../../lib/credentials/company-record.ts';

const GetSecretValue = z.object({ SecretId: z.string() });
const CompanyItem = z.object({ Key: z.object({ sort: z.object({ S: z.literal('company') }) }) });
const COMPANY = { version: { N: '1' }, data: { S: JSON.stringify(NEW_COMPANY) } };

/** What the functions ask for on AWS, on one free port of this machine. */
export interface Surroundings extends AsyncDisposable {
  readonly url: string;
}

/** What is answered to an action, whatever it asks: a table with companies alone takes every change, a bus every event. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  GetItem: {},
  BatchGetItem: { Responses: {} },
  Query: { Items: [] },
  TransactWriteItems: {},
  PutEvents: { FailedEntryCount: 0, Entries: [{ EventId: 'event' }] },
};

/**
 * Serves the secrets by name, as Secrets Manager does, a DynamoDB table in which every company exists, a bus, and a bucket that takes
 * every object. Anything else is 404, as from a service that knows no project.
 */
export async function serveAws(secrets: Readonly<Record<string, unknown>>): Promise<Surroundings> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const action = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    response.setHeader('Content-Type', 'application/x-amz-json-1.0');
    if (action === 'GetSecretValue') {
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
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
