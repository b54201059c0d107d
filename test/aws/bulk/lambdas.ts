import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import type { TaskHandler } from '../../../lib/workflow/task-handler.ts';
import type { Emulator } from '../../../tools/emulators/emulator.ts';
import { startMoto } from '../../../tools/emulators/moto.ts';
import { contextOf } from '../../lib/http/fixture.ts';

/** A wrapper that calls a function. It may throw before or after the call, as Lambda does when a function dies. */
export type Call = (invoke: () => Promise<unknown>) => Promise<unknown>;
type Functions = Readonly<Record<string, TaskHandler<unknown>>>;

/** The error of a function that ended without an answer. */
export class Died extends Error {
  override readonly name = 'Sandbox.Timedout';
}

const INVOCATION = /^\/2015-03-31\/functions\/(?:[\w:-]*:)?(\w+)\/invocations/;

/** An emulator of AWS with functions that run in this process. */
export interface MotoWithLambdas extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts moto with a port at which its Step Functions finds Lambda. A server at that port runs the functions, and
 * passes other requests on to moto.
 * @param load returns the functions at the first call, when AWS is available
 */
export async function motoWith(load: () => Promise<Functions>, call: Call): Promise<MotoWithLambdas> {
  let moto: Emulator | undefined;
  let loaded: Promise<Functions> | undefined;
  const server = createServer((request, response) => {
    const [, name] = INVOCATION.exec(decodeURIComponent(request.url ?? '')) ?? [];
    if (name === undefined) return passOn(request, response, moto?.url ?? '');
    loaded ??= load();
    return invoke(loaded, name, call, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  moto = await startMoto(address.port);
  return {
    url: moto.url,
    async [Symbol.asyncDispose]() {
      await moto?.stop();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers like Lambda: with the result of a function, or with its error. */
async function invoke(
  functions: Promise<Functions>,
  name: string,
  call: Call,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const event = await json(request);
  try {
    const handler = (await functions)[name];
    response.end(JSON.stringify(await call(async () => handler?.(event, contextOf(60_000)))));
  } catch (error) {
    const { name: errorType, message: errorMessage } = error instanceof Error ? error : new Error('none');
    response.setHeader('X-Amz-Function-Error', 'Unhandled');
    response.end(JSON.stringify({ errorType, errorMessage, trace: [] }));
  }
}

function passOn(request: IncomingMessage, response: ServerResponse, url: string): void {
  const { method, headers, url: path = '' } = request;
  const passed = httpRequest(new URL(path, url), { method, headers }, async (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    response.end(await buffer(answer));
  });
  request.pipe(passed);
}
