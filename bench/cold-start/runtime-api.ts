import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Listening, listen } from '../../test/support/listen.ts';

/** A server for the Lambda Runtime API (2018-06-01), with one process and one event. */
export interface RuntimeApi extends Listening {
  /** Resolves when the function is initialised and asks for its first event. */
  readonly polled: Promise<void>;
  /**
   * Resolves with the function's answer. Rejects with the error that the process reports if it fails to start or to
   * answer.
   */
  readonly answered: Promise<string>;
  give(event: string): void;
}

/** The function's time limit in milliseconds. It is the limit of an HTTP operation in the stack. */
const TIMEOUT_MS = 29_000;

export async function openRuntimeApi(): Promise<RuntimeApi> {
  const polled = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<string>();
  let waiting: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      // After its answer, the process asks for another event, and gets none.
      waiting = response;
      polled.resolve();
      return;
    }
    const body = await text(request);
    response.writeHead(202).end();
    if (request.url?.endsWith('/response')) answered.resolve(body);
    else answered.reject(new Error(`A function failed: ${body}`));
  });
  return {
    ...(await listen(server)),
    polled: polled.promise,
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
