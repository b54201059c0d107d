import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { Refusal } from './refusal.ts';

const unpack = promisify(gunzip);

/** A longer body makes, base64-encoded, an event that no function takes. */
const PASSED_ON_BYTES = Math.floor(GATEWAY_LIMITS.eventBytes / 4) * 3;
/** How much memory a body without a length gets at first. */
const FIRST_BYTES = 4_096;
/** How much longer than itself gzip can become. */
const MOST_EXPANSION = 1_032;

/** How much of a body that nobody reads is still taken off the wire, so that its sender gets to see the answer. */
const DISCARDED_BYTES = 4 * GATEWAY_LIMITS.requestBytes;

/**
 * Reads a request's body, unpacked where it is gzip.
 * @returns null where there is no body
 * @throws {Refusal} REQUEST_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, and BAD_REQUEST_BODY where the client breaks off
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (!hasBody(request)) return null;
  const coding = codingOf(request);
  const body = await receive(request, mostReceivedBytes(coding));
  if (body === null || coding === 'identity') return body;
  if (!isGzip(body)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  try {
    return await unpack(body, { maxOutputLength: PASSED_ON_BYTES, chunkSize: chunkBytes(body.length) });
  } catch (cause) {
    if (isTooLarge(cause)) throw new Refusal('REQUEST_TOO_LARGE', { cause });
    return body; // What is said of a broken stream is the contract's matter, so the function shall see it.
  }
}

/** The most bytes that a request's body may be in memory, as it came and unpacked. */
export function mostBodyBytes(request: IncomingMessage): number {
  if (!hasBody(request)) return 0;
  const coding = codingOf(request);
  const length = Math.min(Number(request.headers['content-length'] ?? Infinity), mostReceivedBytes(coding));
  return coding === 'identity' ? length : length + Math.min(mostUnpackedBytes(length), PASSED_ON_BYTES);
}

/** The most bytes that so many bytes of gzip can become. */
export function mostUnpackedBytes(packedBytes: number): number {
  return packedBytes * MOST_EXPANSION;
}

/** Few large pieces rather than many small ones. */
function chunkBytes(packedBytes: number): number {
  return Math.min(mostUnpackedBytes(packedBytes), 1_048_576);
}

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function mostReceivedBytes(coding: Coding): number {
  return coding === 'identity' ? PASSED_ON_BYTES : GATEWAY_LIMITS.requestBytes;
}

/** Takes the rest of a body off the wire without keeping it, up to a bound. */
export function discardBody(request: IncomingMessage): void {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > DISCARDED_BYTES) request.destroy();
  });
  request.on('error', () => {}); // A sender that goes away now has had its answer.
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

function receive(request: IncomingMessage, mostBytes: number): Promise<Buffer | null> {
  // Whoever listens now would wait for ever.
  if (request.destroyed) return Promise.reject(new Refusal('BAD_REQUEST_BODY'));
  const announced = request.headers['content-length'];
  if (Number(announced ?? 0) > mostBytes) return Promise.reject(new Refusal('REQUEST_TOO_LARGE'));
  return new Promise((resolve, reject) => {
    // One piece of memory: thousands of small ones would hold on to more than they are.
    let bytes: Buffer = Buffer.allocUnsafeSlow(Number(announced ?? FIRST_BYTES));
    let length = 0;
    const take = (chunk: Buffer) => {
      if (length + chunk.length > mostBytes) {
        request.off('data', take);
        bytes = Buffer.alloc(0);
        reject(new Refusal('REQUEST_TOO_LARGE'));
        return;
      }
      if (length + chunk.length > bytes.length) bytes = grown(bytes, length + chunk.length);
      length += chunk.copy(bytes, length);
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

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
