import type { IncomingMessage, ServerResponse } from 'node:http';
import { openFloorDatabase } from './database.ts';
import { serveFloor } from './serve.ts';

/**
 * A bare HTTP server, for comparison with Segue. `GET /<row>` sends the bytes of a row. `POST /` parses JSON, inserts
 * one row, and answers 201. The argument is the database's folder. The program prints its port.
 */

const [folder = ''] = process.argv.slice(2);
const database = openFloorDatabase(folder);

function send(response: ServerResponse, status: number, body: Uint8Array): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

function create(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const bytes = Buffer.concat(chunks);
    JSON.parse(bytes.toString());
    send(response, 201, Buffer.from(JSON.stringify({ id: database.insert(bytes) })));
  });
}

serveFloor(database, (request, response) => {
  if (request.method === 'POST') return create(request, response);
  const bytes = database.read(Number(request.url?.slice(1)));
  return bytes ? send(response, 200, bytes) : send(response, 404, Buffer.from('{}'));
});
