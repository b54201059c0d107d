import { gunzipSync } from 'node:zlib';
import { malformedJson, notJson, tooLarge, unexpectedBody } from '../../contract/failures.ts';
import { readForm } from '../../contract/form.ts';
import { parseJson } from '../../contract/json.ts';
import { type ParameterName, queryName } from '../../contract/parameters.ts';
import { Problem } from '../../contract/problem.ts';
import { BODY_LIMITS, type BodyKind, type BodyLimits } from '../../contract/routes.ts';
import type { RequestMiddleware } from '../http-result.ts';
import type { HttpRequest } from '../request.ts';

/**
 * Makes a middleware that rejects a request with a body.
 * @param query the query parameters of the route, which a client may have put into the body
 */
export const noBody = ([first]: readonly ParameterName[]): RequestMiddleware => ({
  before({ event }) {
    if (!event.received) return;
    const hint = first ? ` Parameters belong in the query, such as ?${queryName(first)}=<value>.` : '';
    throw unexpectedBody(hint);
  },
});

/** The syntax of a body: which media types announce it, and the problem of a body that is not in this syntax. */
interface BodySyntax {
  readonly mediaType: RegExp;
  /** The problem if the media type is another. */
  readonly unsupported: () => Problem;
  /** The problem of a body that cannot be unpacked. */
  readonly malformed: (detail: string) => Problem;
}

const JSON_SYNTAX: BodySyntax = {
  mediaType: /^application\/(?:json|[\w.!#$&^+-]+\+json)$/,
  unsupported: notJson,
  malformed: (detail) => malformedJson('encoding', detail),
};

const FORM_SYNTAX: BodySyntax = {
  mediaType: /^application\/x-www-form-urlencoded$/,
  unsupported: () =>
    new Problem('unsupported-media-type', {
      detail: 'Send the header Content-Type: application/x-www-form-urlencoded. The body must be a form in UTF-8.',
    }),
  malformed: (detail) => new Problem('invalid-token-request', { detail }),
};

/**
 * Makes a middleware that reads a JSON body. It checks the media type, `Content-Encoding` and size, and then parses the
 * body.
 * @param isOptional whether the body may be missing
 */
export const jsonBody = (kind: BodyKind, { isOptional = false } = {}): RequestMiddleware => ({
  before({ event }) {
    if (!event.received && isOptional) return;
    event.body = parseJson(bytesOf(event, kind, JSON_SYNTAX));
  },
});

/**
 * Makes a middleware that reads the form of a token request, with the checks of `jsonBody`. The body becomes an object
 * with all values of each field.
 */
export const formBody = (kind: BodyKind): RequestMiddleware => ({
  before({ event }) {
    const fields = readForm(bytesOf(event, kind, FORM_SYNTAX));
    if (!fields) throw FORM_SYNTAX.malformed('The body is not a form in UTF-8 with valid percent-encoding.');
    event.body = fields;
  },
});

function bytesOf(request: HttpRequest, kind: BodyKind, syntax: BodySyntax): Uint8Array {
  requireType(request, syntax);
  const bytes = decode(request.received, BODY_LIMITS[kind], syntax);
  request.bodyBytes = bytes.length;
  return bytes;
}

const UTF8 = /^"?utf-?8"?$/;
const CODINGS = ['', 'identity', 'gzip', 'x-gzip'];

function requireType({ header, received }: HttpRequest, { mediaType, unsupported }: BodySyntax): void {
  const [type = '', ...parameters] = (header('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  // If both body and media type are missing, a later check reports what is missing in the body.
  const isTyped = mediaType.test(type) || (type === '' && !received);
  if (!isTyped || (charset !== undefined && !UTF8.test(charset))) {
    throw unsupported();
  }
  if (!CODINGS.includes((header('content-encoding') ?? '').trim().toLowerCase())) {
    throw new Problem('unsupported-media-type', { detail: 'Content-Encoding must be gzip, identity or absent.' });
  }
}

/** Decodes the body. The gateway unpacks gzip but leaves the header, so only the first bytes show if it is gzip. */
function decode(
  received: HttpRequest['received'],
  { maxBytes, maxSentBytes = Infinity }: BodyLimits,
  syntax: BodySyntax,
): Uint8Array {
  if (!received) return new Uint8Array();
  const { text } = received;
  const encoding = received.isBase64 ? 'base64' : 'utf8';
  if (Buffer.byteLength(text, encoding) > maxSentBytes) {
    const isPacked = isGzip(Buffer.from(text.slice(0, 4), encoding));
    throw isPacked
      ? new Problem('too-large', { detail: `The compressed body has more than ${maxSentBytes} bytes.` })
      : tooLarge(maxSentBytes);
  }
  const bytes = Buffer.from(text, encoding);
  const plain = isGzip(bytes) ? unpack(bytes, maxBytes, syntax) : bytes;
  if (plain.length > maxBytes) throw tooLarge(maxBytes);
  return plain;
}

/** Whether bytes begin like gzip. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function unpack(bytes: Uint8Array, maxBytes: number, { malformed }: BodySyntax): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(maxBytes);
    }
    throw malformed('The body is not a complete gzip stream.');
  }
}
