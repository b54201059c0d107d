import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { gunzipSync } from 'node:zlib';

/** An answer that was read from a connection of its own. */
export interface WireAnswer {
  readonly status: number;
  /** Headers by name in lower case. Several headers of one name are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, with gzip undone; undefined if the body is not the gzip that its header claims. */
  readonly text: string | undefined;
}

/** The time limit for an answer, in milliseconds. API Gateway gives up after 29 s. */
const PATIENCE_MS = 45_000;

/**
 * Sends a request and reads its answer.
 * @param head the request line and the headers, without the empty last line, in Latin-1
 * @throws if there is no answer, or if the answer is not HTTP
 */
export async function overTheWire(base: URL, head: string, body: Buffer): Promise<WireAnswer> {
  const socket = await open(base);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  const answer = receive(socket);
  socket.write(`${head}\r\n\r\n`, 'latin1');
  socket.write(body);
  return readAnswer(await answer);
}

async function open({ protocol, hostname, port }: URL): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') {
    const socket = connect(Number(port || 80), host);
    await once(socket, 'connect');
    return socket;
  }
  const socket = connectSecurely({ host, port: Number(port || 443), servername: host });
  await once(socket, 'secureConnect');
  return socket;
}

/** Reads until the answer is complete or the connection ends. A server that refuses a large body may answer early. */
async function receive(socket: Socket): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (isWhole(bytes)) socket.destroy();
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  return bytes;
}

function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(bytes.subarray(0, end).toString('latin1'))?.[1];
  const rest = bytes.subarray(end + 4);
  return length === undefined ? rest.subarray(-5).equals(LAST_CHUNK) : rest.length >= Number(length);
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function readAnswer(bytes: Buffer): WireAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [start = '', ...lines] = bytes.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(start)?.[1]);
  if (!status) throw new Error('There is no answer, or none that is HTTP.');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)},${value}` : value);
  }
  const rest = bytes.subarray(end + 4);
  const body = headers.get('transfer-encoding') === 'chunked' ? joined(rest) : rest;
  return { status, headers: Object.fromEntries(headers), text: textOf(body, headers.get('content-encoding')) };
}

/** Returns the body without the chunk sizes between its parts. */
function joined(rest: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < rest.length; ) {
    const end = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.subarray(at, end).toString('latin1'), 16);
    if (!(size > 0)) break;
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}

function textOf(body: Buffer, coding: string | undefined): string | undefined {
  if (coding !== 'gzip' || body.length === 0) return body.toString();
  try {
    return gunzipSync(body).toString();
  } catch {
    return undefined;
  }
}
