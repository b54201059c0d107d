import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod/mini';
import { contextOf } from '../../lib/http/fixture.ts';

/*
 * Runs the bundle of one function in a thread of its own, with the environment variables of that function, as Lambda
 * does in a process of its own.
 */

const Bundle = z.object({
  handler: z.custom<(event: unknown, context: unknown) => Promise<unknown>>((value) => typeof value === 'function'),
});
const Call = z.object({ id: z.int(), event: z.unknown(), remainingMs: z.number() });
const { bundle } = z.object({ bundle: z.string() }).parse(workerData);

const { handler } = Bundle.parse(await import(bundle));

parentPort?.on('message', async (message: unknown) => {
  const { id, event, remainingMs } = Call.parse(message);
  const endsAtMs = Date.now() + remainingMs;
  const context = { ...contextOf(), getRemainingTimeInMillis: () => endsAtMs - Date.now() };
  try {
    parentPort?.postMessage({ id, result: await handler(event, context) });
  } catch (error) {
    parentPort?.postMessage({ id, error: error instanceof Error ? error.message : 'not an error' });
  }
});
