import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { openFloorDatabase } from './database.ts';
import { serveFloor } from './serve.ts';

/**
 * A bare receiver of webhook messages, for comparison with Segue. It checks the HMAC of a body, inserts the body as one
 * row, and answers 202. The arguments are the database's folder and the secret. The program prints its port.
 */

const [folder = '', secret = ''] = process.argv.slice(2);
const database = openFloorDatabase(folder);

serveFloor(database, async (request, response) => {
  const body = await buffer(request);
  const right = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(String(request.headers['x-hub-signature-256']));
  const isProved = given.length === right.length && timingSafeEqual(given, right);
  const answer = isProved ? JSON.stringify({ id: database.insert(body) }) : '{}';
  response.writeHead(isProved ? 202 : 401, { 'Content-Type': 'application/json', 'Content-Length': answer.length });
  response.end(answer);
});
