import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { openFloorDatabase } from './database.ts';
import { serveFloor } from './serve.ts';

/**
 * A bare HTTP server that reads what an answer is made of, for comparison with Segue. The arguments are the database's
 * folder and the number of its rows. Row 1 is the answer, which stays in memory. For each request, the server reads all
 * other rows, decompresses those that are compressed, and sends the answer, with gzip if the client accepts it. The bytes
 * pass through base64, as those of every Lambda function do. The program prints its port.
 */

const [folder = '', rows = ''] = process.argv.slice(2);
const database = openFloorDatabase(folder);
const answer = Buffer.from(database.read(1) ?? []);
const gzipInThread = promisify(gzip);

serveFloor(database, async (request, response) => {
  for (let row = 2; row <= Number(rows); row++) {
    const bytes = database.read(row);
    if (bytes?.[0] === 0x1f) gunzipSync(bytes);
  }
  const isGzip = request.headers['accept-encoding'] === 'gzip';
  const sent = isGzip ? await gzipInThread(answer, { level: 3 }) : answer;
  const body = Buffer.from(sent.toString('base64'), 'base64');
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
});
