import { gunzipSync } from 'node:zlib';
import { parseJson } from '../../contract/json.ts';
import { Problem } from '../../contract/problem.ts';
import { BODY_LIMITS, type BodyKind, type BodyLimits } from '../../contract/routes.ts';
import type { RequestMiddleware } from '../http-result.ts';
import type { HttpRequest } from '../request.ts';

/** Makes a middleware that rejects a request with a body. */
export const noBody = (): RequestMiddleware => ({
  before({ event }) {
    if (event.received) {
      throw new Problem('unexpected-body', { detail: 'This request must have no body. Segue did nothing.' });
    }
  },
});

/**
 * Makes a middleware that reads a JSON body. It checks the media type, `Content-Encoding` and size, and then parses the
 * body.
 * @param isOptional whether the body may be missing
 */
export const jsonBody = (kind: BodyKind, { isOptional = false } = {}): RequestMiddleware => ({
  before({ event }) {
    if (!event.received && isOptional) return;
    requireJson(event);
    const bytes = decode(event.received, BODY_LIMITS[kind]);
    event.bodyBytes = bytes.length;
    event.body = parseJson(bytes);
  },
});

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^+-]+\+json)$/;
const UTF8 = /^"?utf-?8"?$/;
const CODINGS = ['', 'identity', 'gzip', 'x-gzip'];

function requireJson({ header, received }: HttpRequest): void {
  const [type = '', ...parameters] = (header('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  // If both body and media type are missing, the JSON parser reports the missing body later.
  const isTyped = JSON_TYPE.test(type) || (type === '' && !received);
  if (!isTyped || (charset !== undefined && !UTF8.test(charset))) {
    throw new Problem('unsupported-media-type', {
      detail: 'Send the header Content-Type: application/json. The body must be JSON in UTF-8.',
    });
  }
  if (!CODINGS.includes((header('content-encoding') ?? '').trim().toLowerCase())) {
    throw new Problem('unsupported-media-type', { detail: 'Content-Encoding must be gzip, identity or absent.' });
  }
}

/** Decodes the body. The gateway unpacks gzip but leaves the header, so only the first bytes show if it is gzip. */
function decode(received: HttpRequest['received'], { maxBytes, maxSentBytes = Infinity }: BodyLimits): Uint8Array {
  if (!received) return new Uint8Array();
  const { text } = received;
  const encoding = received.isBase64 ? 'base64' : 'utf8';
  if (Buffer.byteLength(text, encoding) > maxSentBytes) {
    const isPacked = isGzip(Buffer.from(text.slice(0, 4), encoding));
    throw isPacked
      ? tooLarge(`The compressed body has more than ${maxSentBytes} bytes.`)
      : tooLargeDecoded(maxSentBytes);
  }
  const bytes = Buffer.from(text, encoding);
  const plain = isGzip(bytes) ? unpack(bytes, maxBytes) : bytes;
  if (plain.length > maxBytes) throw tooLargeDecoded(maxBytes);
  return plain;
}

/** Whether bytes begin like gzip. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unpack(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLargeDecoded(maxBytes);
    }
    const detail = 'The body is not a complete gzip stream.';
    throw new Problem('malformed-json', { detail, errors: [{ pointer: '', code: 'encoding', detail }] });
  }
}

function tooLargeDecoded(maxBytes: number): Problem {
  return tooLarge(`The body has more than ${maxBytes} bytes after decoding.`);
}

function tooLarge(detail: string): Problem {
  return new Problem('too-large', { detail });
}
