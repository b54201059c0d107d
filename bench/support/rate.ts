import { requireStatus } from './answers.ts';
import type { Connection } from './connection.ts';

const SLICE_MS = 2_000;

/** Opens several connections. Disposing of the result closes all of them. */
export async function openAll(
  count: number,
  open: () => Promise<Connection>,
): Promise<Disposable & { readonly all: readonly Connection[] }> {
  const all = await Promise.all(Array.from({ length: count }, open));
  return {
    all,
    [Symbol.dispose]: () => {
      for (const connection of all) connection[Symbol.dispose]();
    },
  };
}

/**
 * Measures how many requests a second are answered, in one time slice of two seconds.
 * @param request the bytes of all requests, or a function that returns the bytes of each request
 */
export async function rate(
  connections: readonly Connection[],
  request: Buffer | (() => Buffer),
  status = 201,
): Promise<number> {
  const began = performance.now();
  let answers = 0;
  const keepSending = async (connection: Connection) => {
    while (performance.now() - began < SLICE_MS) {
      requireStatus(await connection.exchange(typeof request === 'function' ? request() : request), status);
      answers++;
    }
  };
  await Promise.all(connections.map(keepSending));
  return (answers * 1_000) / (performance.now() - began);
}
