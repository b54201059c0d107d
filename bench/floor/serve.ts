import { createServer, type RequestListener } from 'node:http';
import type { FloorDatabase } from './database.ts';

/** Serves requests on a free port of this machine until SIGTERM. It prints the port. */
export function serveFloor(database: FloorDatabase, answer: RequestListener): void {
  // Idle connections stay open as long as those of the gateway.
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
