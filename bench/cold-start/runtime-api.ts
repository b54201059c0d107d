import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Listening, listen } from './listen.ts';

/** The Lambda Runtime API (2018-06-01) for one process and one event. */
export interface RuntimeApi extends Listening {
  /** The function is initialised and asks for its first event. */
  readonly asked: Promise<void>;
  /** What the function answered. Rejects with what it reported, where it failed to start or to answer. */
  readonly answered: Promise<string>;
  give(event: string): void;
}

/** How long the function is told that it has, as an HTTP operation of the stack. */
const TIMEOUT_MS = 29_000;

export async function openRuntimeApi(): Promise<RuntimeApi> {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<string>();
  let waiting: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      // After its answer the process asks again, and is given nothing.
      waiting = response;
      asked.resolve();
      return;
    }
    const body = await text(request);
    response.writeHead(202).end();
    if (request.url?.endsWith('/response')) answered.resolve(body);
    else answered.reject(new Error(`A function failed: ${body}`));
  });
  return {
    ...(await listen(server)),
    asked: asked.promise,
    answered: answered.promise,
    give(event) {
      waiting?.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(event),
        'Lambda-Runtime-Aws-Request-Id': randomUUID(),
        'Lambda-Runtime-Deadline-Ms': Date.now() + TIMEOUT_MS,
        'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-west-1:000000000000:function:bench',
      });
      waiting?.end(event);
    },
  };
}
