import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { Refusal } from './refusal.ts';

const unpack = promisify(gunzip);

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
  const body = await receive(request);
  if (body === null || coding === 'identity') return body;
  if (body[0] !== 0x1f || body[1] !== 0x8b) throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
  try {
    return await unpack(body, { maxOutputLength: GATEWAY_LIMITS.requestBytes });
  } catch (cause) {
    if (isTooLarge(cause)) throw new Refusal('REQUEST_TOO_LARGE', { cause });
    return body; // What is said of a broken stream is the contract's matter, so the function shall see it.
  }
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

function codingOf(request: IncomingMessage): 'identity' | 'gzip' {
  const coding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  throw new Refusal('UNSUPPORTED_MEDIA_TYPE');
}

function receive(request: IncomingMessage): Promise<Buffer | null> {
  // Whoever listens now would wait for ever.
  if (request.destroyed) return Promise.reject(new Refusal('BAD_REQUEST_BODY'));
  if (Number(request.headers['content-length'] ?? 0) > GATEWAY_LIMITS.requestBytes) {
    return Promise.reject(new Refusal('REQUEST_TOO_LARGE'));
  }
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= GATEWAY_LIMITS.requestBytes) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      request.off('data', take);
      reject(new Refusal('REQUEST_TOO_LARGE'));
    };
    request.on('data', take);
    request.once('end', () => resolve(length === 0 ? null : joined(chunks)));
    request.once('error', (cause) => reject(new Refusal('BAD_REQUEST_BODY', { cause })));
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
