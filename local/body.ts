import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { BODY_LIMITS, type BodyKind } from '../lib/contract/routes.ts';
import { isGzip } from '../lib/http/middleware/body.ts';
import { GatewayError } from './response.ts';

/**
 * The bytes of an event that are reserved for everything except the body. An event contains the headers twice, at most
 * 16 KB each time.
 */
const EVENT_REST_BYTES = 131_072;
/** The longest body that fits into Lambda's largest event when it is base64-encoded, in bytes. */
const EVENT_BODY_BYTES = Math.floor((GATEWAY_LIMITS.eventBytes - EVENT_REST_BYTES) / 4) * 3;
/**
 * The size of the first buffer for a body of unknown length, in bytes. At least this much of any body is read, because
 * even empty content has some bytes as gzip.
 */
const FIRST_BYTES = 4_096;

/**
 * Reads a request's body, and unpacks gzip. If the body exceeds the limit of its operation, the result may be
 * incomplete. It still exceeds the limit, so the operation's Lambda function rejects it.
 * @returns null if the request has no body
 * @throws {GatewayError} UNSUPPORTED_MEDIA_TYPE if `Content-Encoding` has a coding other than gzip, or has gzip but the
 *   bytes are not gzip; BAD_REQUEST_BODY if the connection breaks
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

/** Returns the largest memory that a request's body takes, received and unpacked together, in bytes. */
export function maxBodyBytes(request: IncomingMessage, kind: BodyKind): number {
  if (!hasBody(request)) return 0;
  const { readBytes, unpackedBytes } = boundsOf(kind);
  const length = Math.min(Number(request.headers['content-length'] ?? readBytes), readBytes);
  return codingOf(request) === 'identity' ? length : length + unpackedBytes;
}

/**
 * Returns how many bytes of a body are read at most, as received and as unpacked. Each is one byte more than the limit.
 */
function boundsOf(kind: BodyKind) {
  const { maxBytes, maxSentBytes = EVENT_BODY_BYTES } = BODY_LIMITS[kind];
  return { readBytes: Math.max(maxSentBytes, FIRST_BYTES) + 1, unpackedBytes: Math.max(maxBytes, FIRST_BYTES) + 1 };
}

/**
 * Unpacks gzip. If that fails, it returns bytes that the Lambda function rejects as the contract requires.
 * @returns invalid gzip unchanged; for gzip that unpacks to too much, `maxBytes` zeros
 */
async function unpack(packed: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: maxBytes });
  } catch (cause) {
    return cause instanceof RangeError ? Buffer.alloc(maxBytes) : packed;
  }
}

/** Whether the request announces a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function codingOf(request: IncomingMessage): 'identity' | 'gzip' {
  const coding = (request.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
}

/** Receives a body, or as many of its bytes as may be read. */
function receive(request: IncomingMessage, readBytes: number): Promise<Buffer | null> {
  // A destroyed request has no further events, so waiting for one would never end.
  if (request.destroyed) return Promise.reject(new GatewayError('BAD_REQUEST_BODY'));
  return new Promise((resolve, reject) => {
    // The body is collected in one buffer, because thousands of small chunks would keep more memory than their bytes.
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
