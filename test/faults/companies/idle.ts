import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { listen } from '../../support/listen.ts';

/** A server that has nothing else to do. Its times show the effect of other load on the machine. */
const { address } = await listen(createServer((_, response) => response.end('{"status":"ok"}')));
parentPort?.postMessage(`http://${address}`);
