import { createServer, type RequestListener } from 'node:http';
import type { FloorDatabase } from './database.ts';

/** Answers on a free port of this machine, which it prints, until it is told to end. */
export function serveFloor(database: FloorDatabase, answer: RequestListener): void {
  // Kept alive as long as the gateway keeps its connections.
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
  });
  process.once('SIGTERM', () => {
    database[Symbol.dispose]();
    process.exit(0);
  });
}
