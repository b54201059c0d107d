import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Conversation } from './conversation.ts';

/** What the other side said until it ended the connection, and how the system says that it ended, where it was not quietly. */
export interface Heard {
  readonly bytes: Buffer;
  readonly error: string | undefined;
}

/** Longer than any answer takes. */
const SILENCE_MS = 20_000;

/** Says everything, closes this side, and listens until the other side has closed its own. */
export async function converse(port: number, { pieces, isAbandoned }: Conversation): Promise<Heard> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const chunks: Buffer[] = [];
  let error: string | undefined;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', (cause) => {
    error = 'code' in cause ? String(cause.code) : cause.message;
  });
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('no end')));
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  for (const piece of pieces) {
    socket.write(piece);
    await setImmediate();
  }
  if (isAbandoned) socket.destroy();
  else socket.end();
  await closed;
  return { bytes: Buffer.concat(chunks), error };
}
