import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import type { BodyLimits } from '../lib/contract/routes.ts';
import { Refusal } from './refusal.ts';

/** A longer body makes, base64-encoded, an event that no function takes. */
const PASSED_ON_BYTES = Math.floor(GATEWAY_LIMITS.eventBytes / 4) * 3;
/** How much memory a body without a length gets at first, and what is read of any body: gzip of nothing has a few bytes. */
const FIRST_BYTES = 4_096;
/** How much longer than itself gzip can become. */
const MOST_EXPANSION = 1_032;

/** How much of a body that nobody reads is still taken off the wire, so that its sender gets to see the answer. */
const DISCARDED_BYTES = 4 * GATEWAY_LIMITS.requestBytes;

/**
 * Reads a request's body, unpacked where it is gzip. Of a body that is larger than its operation takes it reads the
 * beginning, one byte more than the limit: the function refuses it in its turn.
 * @returns null where there is no body
 * @throws {Refusal} REQUEST_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, and BAD_REQUEST_BODY where the client breaks off
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer | null> {
  if (!hasBody(request)) return null;
  const coding = codingOf(request);
  const bounds = boundsOf(coding, limits);
  const body = await receive(request, bounds);
  if (body === null || coding === 'identity' || body.length === bounds.readBytes) return body;
  if (!isGzip(body)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  const unpacked = await unpackStart(body, bounds.unpackedBytes);
  if (!bounds.isCut && unpacked.length > PASSED_ON_BYTES) throw new Refusal('REQUEST_TOO_LARGE');
  return unpacked;
}

/** The most bytes that a request's body may be in memory, as it came and unpacked. */
export function mostBodyBytes(request: IncomingMessage, limits: BodyLimits): number {
  if (!hasBody(request)) return 0;
  const coding = codingOf(request);
  const { readBytes, unpackedBytes } = boundsOf(coding, limits);
  const length = Math.min(Number(request.headers['content-length'] ?? Infinity), readBytes);
  return coding === 'identity' ? length : length + Math.min(mostUnpackedBytes(length), unpackedBytes);
}

/** How much is read of a body as it is sent and unpacked: a byte more than is taken. */
interface Bounds {
  readonly readBytes: number;
  readonly unpackedBytes: number;
  /** Whether a longer body is cut there, for the function to refuse; else the gateway refuses it. */
  readonly isCut: boolean;
}

function boundsOf(coding: Coding, { mostBytes, mostSentBytes }: BodyLimits): Bounds {
  if (mostSentBytes !== undefined) {
    return { readBytes: Math.max(mostSentBytes, FIRST_BYTES) + 1, unpackedBytes: mostBytes + 1, isCut: true };
  }
  const takenBytes = coding === 'identity' ? PASSED_ON_BYTES : GATEWAY_LIMITS.requestBytes;
  return { readBytes: takenBytes + 1, unpackedBytes: PASSED_ON_BYTES + 1, isCut: false };
}

/**
 * Unpacks the first bytes of a gzip stream.
 * @returns a broken stream as it is: what is said of it is the contract's matter, so the function shall see it
 */
async function unpackStart(packed: Buffer, mostBytes: number): Promise<Buffer> {
  // Few large pieces rather than many small ones.
  const chunkSize = Math.max(64, Math.min(mostUnpackedBytes(packed.length), mostBytes, 1_048_576));
  const gunzip = createGunzip({ chunkSize });
  gunzip.end(packed);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of gunzip) {
      pieces.push(piece);
      length += piece.length;
      // Leaving the loop ends the stream.
      if (length >= mostBytes) return Buffer.concat(pieces, mostBytes);
    }
  } catch {
    return packed;
  }
  return Buffer.concat(pieces, length);
}

/** The most bytes that so many bytes of gzip can become. */
export function mostUnpackedBytes(packedBytes: number): number {
  return packedBytes * MOST_EXPANSION;
}

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Takes the rest of a body off the wire without keeping it, up to a bound. It ends with the connection. */
export function discardBody(request: IncomingMessage): void {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > DISCARDED_BYTES) request.destroy();
  });
  request.on('error', () => {}); // A sender that goes away now has had its answer.
  request.resume();
}

/** Whether a body may follow the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

type Coding = 'identity' | 'gzip';

function codingOf(request: IncomingMessage): Coding {
  const coding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
}

function receive(request: IncomingMessage, { readBytes, isCut }: Bounds): Promise<Buffer | null> {
  // Whoever listens now would wait for ever.
  if (request.destroyed) return Promise.reject(new Refusal('BAD_REQUEST_BODY'));
  const announced = Number(request.headers['content-length'] ?? FIRST_BYTES);
  if (announced >= readBytes && !isCut) return Promise.reject(new Refusal('REQUEST_TOO_LARGE'));
  return new Promise((resolve, reject) => {
    // One piece of memory: thousands of small ones would hold on to more than they are.
    let bytes: Buffer = Buffer.allocUnsafeSlow(Math.min(announced, readBytes));
    let length = 0;
    const take = (chunk: Buffer) => {
      const needed = Math.min(length + chunk.length, readBytes);
      if (needed > bytes.length) bytes = grown(bytes, needed);
      length += chunk.copy(bytes, length, 0, readBytes - length);
      if (length < readBytes) return;
      request.off('data', take).pause();
      if (isCut) resolve(bytes.subarray(0, length));
      else reject(new Refusal('REQUEST_TOO_LARGE'));
      bytes = Buffer.alloc(0);
    };
    request.on('data', take);
    request.once('end', () => resolve(length === 0 ? null : bytes.subarray(0, length)));
    request.once('error', (cause) => reject(new Refusal('BAD_REQUEST_BODY', { cause })));
  });
}

/** The same bytes with room for more. */
function grown(bytes: Buffer, leastBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, leastBytes));
  bytes.copy(larger);
  return larger;
}
