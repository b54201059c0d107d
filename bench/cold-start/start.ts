import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { openRuntimeApi } from './runtime-api.ts';
import type { Throttle } from './throttle.ts';

/** The path of Lambda's runtime client, which AWS publishes with a native part. */
const CLIENT = fileURLToPath(new URL('node_modules/aws-lambda-ric/index.mjs', import.meta.url));

/** The answers that count as success. A fast but wrong answer must not count as a result. */
const Done = z.union([
  z.object({ statusCode: z.union([z.literal(201), z.literal(202)]) }),
  z.object({ policyDocument: z.object({ Statement: z.tuple([z.object({ Effect: z.literal('Allow') })]) }) }),
]);

/** The times of one cold start, in milliseconds since its process was spawned. */
export interface ColdStart {
  /** The time when the function asked for its first event. */
  readonly initMs: number;
  /** The time when the function had answered its first event. */
  readonly answerMs: number;
}

export interface StartOptions {
  /** The folder with the function's `index.mjs` or `index.js`. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: string;
  /** Limits the CPU of the process after its initialisation. */
  readonly throttle?: Throttle | undefined;
}

/** Starts a function as Lambda does, sends it one event, and checks its answer. */
export async function coldStart({ folder, environment, event, throttle }: StartOptions): Promise<ColdStart> {
  await using api = await openRuntimeApi();
  const runtime = { AWS_LAMBDA_RUNTIME_API: api.address, LAMBDA_TASK_ROOT: folder, _HANDLER: 'index.handler' };
  const began = performance.now();
  const child = spawn(process.execPath, [CLIENT], {
    cwd: folder,
    env: { ...environment, ...runtime },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  const early = ended.then(async () =>
    Promise.reject(new Error(`The function’s process ended before its answer: ${await said}`)),
  );
  try {
    await Promise.race([api.polled, api.answered, early]);
    const initMs = performance.now() - began;
    if (child.pid !== undefined) throttle?.hold(child.pid);
    api.give(event);
    const answer = await Promise.race([api.answered, early]);
    const answerMs = performance.now() - began;
    Done.parse(JSON.parse(answer));
    return { initMs, answerMs };
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
