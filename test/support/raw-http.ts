import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends bytes unchanged, and reads until the other side ends the connection. */
export async function exchange(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = await open(port);
  for (const part of parts) socket.write(part);
  const answer = await readAll(socket);
  socket.destroy();
  return answer;
}

/** Opens a connection, without sending anything. */
export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Returns all text that the other side sends until it ends the connection. */
export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {}); // A reset ends the connection too: `close` follows.
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** Returns the status of an answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

/** Returns the body of an answer that has nothing after it. */
export function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}
