import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';

const Request = z.object({ SecretId: z.string() });

/** As much of Secrets Manager as a function asks for when it starts. */
export interface FakeSecretsManager extends AsyncDisposable {
  readonly url: string;
}

/** Serves the secrets by name on a free port of this machine. */
export async function serveSecrets(secrets: Readonly<Record<string, unknown>>): Promise<FakeSecretsManager> {
  const server = createServer(async (request, response) => {
    const { SecretId } = Request.parse(JSON.parse(await text(request)));
    response.setHeader('Content-Type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ Name: SecretId, SecretString: JSON.stringify(secrets[SecretId]) }));
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
