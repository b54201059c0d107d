import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { BODY_LIMITS, type BodyKind } from '../lib/contract/routes.ts';
import { isGzip } from '../lib/http/middleware/body.ts';
import { GatewayError } from './response.ts';

/** Kept for the parts of an event beside its body. The headers, at most 16 KB, stand in it twice. */
const EVENT_REST_BYTES = 131_072;
/** A longer body makes, base64-encoded, a larger event than Lambda allows. */
const EVENT_BODY_BYTES = Math.floor((GATEWAY_LIMITS.eventBytes - EVENT_REST_BYTES) / 4) * 3;
/** The first buffer of a body without a length, and what is read of any body: gzip of nothing has a few bytes. */
const FIRST_BYTES = 4_096;

/**
 * Reads a request's body, and unpacks gzip. Of a body that is larger than its operation takes it reads one byte more
 * than the limit, so that the function rejects it.
 * @returns null if there is no body
 * @throws {GatewayError} UNSUPPORTED_MEDIA_TYPE, and BAD_REQUEST_BODY if the client breaks off
 */
export async function readBody(request: IncomingMessage, kind: BodyKind): Promise<Buffer | null> {
  if (!hasBody(request)) return null;
  const coding = codingOf(request);
  const { readBytes, unpackedBytes } = boundsOf(kind);
  const body = await receive(request, readBytes);
  if (body === null || coding === 'identity' || body.length === readBytes) return body;
  if (!isGzip(body)) throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
  return unpack(body, unpackedBytes);
}

/** The most bytes that a request's body may take in memory, as received and unpacked. */
export function maxBodyBytes(request: IncomingMessage, kind: BodyKind): number {
  if (!hasBody(request)) return 0;
  const { readBytes, unpackedBytes } = boundsOf(kind);
  const length = Math.min(Number(request.headers['content-length'] ?? readBytes), readBytes);
  return codingOf(request) === 'identity' ? length : length + unpackedBytes;
}

/** How much is read of a body, as received and unpacked: one byte more than is allowed. */
function boundsOf(kind: BodyKind) {
  const { maxBytes, maxSentBytes = EVENT_BODY_BYTES } = BODY_LIMITS[kind];
  return { readBytes: Math.max(maxSentBytes, FIRST_BYTES) + 1, unpackedBytes: Math.max(maxBytes, FIRST_BYTES) + 1 };
}

/**
 * Unpacks gzip. The function rejects a broken stream and a stream that is too long, as the contract says.
 * @returns a broken stream as it is; in place of one that is too long, as many zeros as may be unpacked
 */
async function unpack(packed: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: maxBytes });
  } catch (cause) {
    return cause instanceof RangeError ? Buffer.alloc(maxBytes) : packed;
  }
}

/** Whether a body may follow the headers. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function codingOf(request: IncomingMessage): 'identity' | 'gzip' {
  const coding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
}

/** Receives a body, or its first bytes. */
function receive(request: IncomingMessage, readBytes: number): Promise<Buffer | null> {
  // No event would come any more.
  if (request.destroyed) return Promise.reject(new GatewayError('BAD_REQUEST_BODY'));
  return new Promise((resolve, reject) => {
    // One buffer: thousands of small chunks would keep more memory than their bytes.
    let bytes = Buffer.allocUnsafeSlow(Math.min(Number(request.headers['content-length'] ?? FIRST_BYTES), readBytes));
    let length = 0;
    const take = (chunk: Buffer) => {
      const needed = Math.min(length + chunk.length, readBytes);
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, needed));
        bytes.copy(larger);
        bytes = larger;
      }
      length += chunk.copy(bytes, length, 0, readBytes - length);
      if (length < readBytes) return;
      request.off('data', take).pause();
      resolve(bytes.subarray(0, length));
    };
    request.on('data', take);
    request.once('end', () => resolve(length === 0 ? null : bytes.subarray(0, length)));
    request.once('error', (cause) => reject(new GatewayError('BAD_REQUEST_BODY', { cause })));
  });
}
