import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openFloorDatabase } from './database.ts';

/**
 * A bare verifier of webhooks, in a process of its own: it proves an HMAC of the body, inserts the body as one row and
 * answers 202. Its arguments are the database's folder and the secret; it prints its port.
 */
const [folder = '', secret = ''] = process.argv.slice(2);
const database = openFloorDatabase(folder);

// Kept alive as long as the gateway keeps its connections.
const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  const body = await buffer(request);
  const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(String(request.headers['x-hub-signature-256']));
  const isProved = given.length === right.length && timingSafeEqual(given, right);
  const answer = isProved ? JSON.stringify({ id: database.insert(body) }) : '{}';
  response.writeHead(isProved ? 202 : 401, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
  response.end(answer);
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
process.once('SIGTERM', () => {
  database[Symbol.dispose]();
  process.exit(0);
});
