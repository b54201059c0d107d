import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { BODY_LIMITS, type BodyKind } from '../lib/contract/routes.ts';
import { GatewayError } from './response.ts';

/** A longer body makes, base64-encoded, a larger event than Lambda allows. */
const EVENT_BODY_BYTES = Math.floor(GATEWAY_LIMITS.eventBytes / 4) * 3;
/** The first buffer of a body without a length, and what is read of any body: gzip of nothing has a few bytes. */
const FIRST_BYTES = 4_096;
/** How many times longer gzip can become. */
const MOST_EXPANSION = 1_032;

/** How much of a rejected body is received and discarded, so that its sender sees the response. */
const DISCARDED_BYTES = 4 * GATEWAY_LIMITS.requestBytes;

/**
 * Reads a request's body, and unpacks gzip. Of a body that is larger than its operation takes it reads one byte more
 * than the limit, so that the function rejects it.
 * @returns null if there is no body
 * @throws {GatewayError} REQUEST_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, and BAD_REQUEST_BODY if the client breaks off
 */
export async function readBody(request: IncomingMessage, kind: BodyKind): Promise<Buffer | null> {
  if (!hasBody(request)) return null;
  const coding = codingOf(request);
  const bounds = boundsOf(coding, kind);
  const body = await receive(request, bounds);
  if (body === null || coding === 'identity' || body.length === bounds.readBytes) return body;
  if (!isGzip(body)) throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
  const unpacked = await unpackStart(body, bounds.unpackedBytes);
  if (!bounds.isCut && unpacked.length > EVENT_BODY_BYTES) throw new GatewayError('REQUEST_TOO_LARGE');
  return unpacked;
}

/** The most bytes that a request's body may take in memory, as received and unpacked. */
export function mostBodyBytes(request: IncomingMessage, kind: BodyKind): number {
  if (!hasBody(request)) return 0;
  const coding = codingOf(request);
  const { readBytes, unpackedBytes } = boundsOf(coding, kind);
  const length = Math.min(Number(request.headers['content-length'] ?? Infinity), readBytes);
  return coding === 'identity' ? length : length + Math.min(mostUnpackedBytes(length), unpackedBytes);
}

/** How much is read of a body, as received and unpacked: one byte more than is allowed. */
interface Bounds {
  readonly readBytes: number;
  readonly unpackedBytes: number;
  /** Whether a longer body is cut there, so that the function rejects it; else the gateway rejects it. */
  readonly isCut: boolean;
}

function boundsOf(coding: Coding, kind: BodyKind): Bounds {
  const { mostBytes, mostSentBytes } = BODY_LIMITS[kind];
  if (mostSentBytes !== undefined) {
    return { readBytes: Math.max(mostSentBytes, FIRST_BYTES) + 1, unpackedBytes: mostBytes + 1, isCut: true };
  }
  const takenBytes = coding === 'identity' ? EVENT_BODY_BYTES : GATEWAY_LIMITS.requestBytes;
  return { readBytes: takenBytes + 1, unpackedBytes: EVENT_BODY_BYTES + 1, isCut: false };
}

/**
 * Unpacks the first bytes of a gzip stream.
 * @returns a broken stream as it is: the function rejects it as the contract says
 */
async function unpackStart(packed: Buffer, mostBytes: number): Promise<Buffer> {
  // A few large pieces are faster than many small ones.
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

/** Receives and discards the rest of a body, up to a bound. */
export function discardBody(request: IncomingMessage): void {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > DISCARDED_BYTES) request.destroy();
  });
  request.on('error', () => {}); // A sender that goes away now has its response.
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
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
}

function receive(request: IncomingMessage, { readBytes, isCut }: Bounds): Promise<Buffer | null> {
  // No event would come any more.
  if (request.destroyed) return Promise.reject(new GatewayError('BAD_REQUEST_BODY'));
  const announced = Number(request.headers['content-length'] ?? FIRST_BYTES);
  if (announced >= readBytes && !isCut) return Promise.reject(new GatewayError('REQUEST_TOO_LARGE'));
  return new Promise((resolve, reject) => {
    // One buffer: thousands of small chunks would keep more memory than their bytes.
    let bytes: Buffer = Buffer.allocUnsafeSlow(Math.min(announced, readBytes));
    let length = 0;
    const take = (chunk: Buffer) => {
      const needed = Math.min(length + chunk.length, readBytes);
      if (needed > bytes.length) bytes = grown(bytes, needed);
      length += chunk.copy(bytes, length, 0, readBytes - length);
      if (length < readBytes) return;
      request.off('data', take).pause();
      if (isCut) resolve(bytes.subarray(0, length));
      else reject(new GatewayError('REQUEST_TOO_LARGE'));
      bytes = Buffer.alloc(0);
    };
    request.on('data', take);
    request.once('end', () => resolve(length === 0 ? null : bytes.subarray(0, length)));
    request.once('error', (cause) => reject(new GatewayError('BAD_REQUEST_BODY', { cause })));
  });
}

/** Copies bytes into a larger buffer. */
function grown(bytes: Buffer, leastBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, leastBytes));
  bytes.copy(larger);
  return larger;
}
