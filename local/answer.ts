import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod/mini';
import { GATEWAY_LIMITS } from '../lib/contract/limits.ts';
import { Refusal } from './refusal.ts';

/** An answer as it goes onto the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const HeaderValue = z.union([z.string(), z.number(), z.boolean()]);

/** The answer of a function in Lambda proxy integration; API Gateway calls anything else malformed. */
const ProxyResult = z.strictObject({
  statusCode: z.int().check(z.gte(200), z.lte(599)),
  headers: z.nullish(z.record(z.string(), HeaderValue)),
  multiValueHeaders: z.nullish(z.record(z.string(), z.array(HeaderValue))),
  body: z.nullish(z.string()),
  isBase64Encoded: z.nullish(z.boolean()),
});
type ProxyResult = z.infer<typeof ProxyResult>;

/**
 * Reads the answer of a function.
 * @throws {Refusal} INTEGRATION_FAILURE where it is malformed or larger than a function may answer
 */
export function answerOf(result: unknown): Answer {
  const parsed = ProxyResult.safeParse(result);
  if (!parsed.success) throw new Refusal('INTEGRATION_FAILURE');
  const { body: text, isBase64Encoded, ...rest } = parsed.data;
  const body = isBase64Encoded ? decoded(text ?? '') : Buffer.from(text ?? '');
  const headers = headersOf(rest);
  const bodyLength = isBase64Encoded ? (text ?? '').length : escapedLength(body);
  // The rest is a few hundred bytes, so measuring it costs nothing.
  const restLength = Buffer.byteLength(JSON.stringify({ ...rest, body: '', isBase64Encoded }));
  if (restLength + bodyLength > GATEWAY_LIMITS.answerBytes) throw new Refusal('INTEGRATION_FAILURE');
  return { status: rest.statusCode, headers, body };
}

function decoded(base64: string): Buffer {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips what is not base64, which shows in the length alone.
  if (bytes.length !== (base64.length / 4) * 3 - padding) throw new Refusal('INTEGRATION_FAILURE');
  return bytes;
}

/** The bytes of a control character's escape. */
const LONGEST_ESCAPE = 6;
/** More than the headers of any answer. */
const REST_BYTES = 65_536;

/** How long text is as a JSON string, counted only where escapes could pass the limit. */
function escapedLength(utf8: Buffer): number {
  let length = utf8.length;
  if (length > GATEWAY_LIMITS.answerBytes || length * LONGEST_ESCAPE + REST_BYTES < GATEWAY_LIMITS.answerBytes) {
    return length;
  }
  // By index: an iterator over megabytes takes several times as long.
  for (let index = 0; index < utf8.length; index++) {
    const byte = utf8[index] ?? 0;
    if (byte === 0x22 || byte === 0x5c) length += 1;
    else if (byte < 0x20) length += byte >= 0x08 && byte <= 0x0d && byte !== 0x0b ? 1 : 5;
  }
  return length;
}

/** Headers that API Gateway sets itself, and passes on under another name. */
const REMAPPED = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-md5',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  'www-authenticate',
]);

function headersOf({ headers, multiValueHeaders }: Pick<ProxyResult, 'headers' | 'multiValueHeaders'>) {
  const merged = new Map<string, { name: string; values: string[] }>();
  const add = (name: string, value: string) => {
    const key = name.toLowerCase();
    const entry = merged.get(key);
    if (!entry) {
      merged.set(key, { name: REMAPPED.has(key) ? `x-amzn-Remapped-${name}` : name, values: [value] });
    } else if (!entry.values.includes(value)) {
      entry.values.push(value);
    }
  };
  for (const [name, value] of Object.entries(headers ?? {})) add(name, String(value));
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    for (const value of values) add(name, String(value));
  }
  for (const { name, values } of merged.values()) checkHeader(name, values);
  return Object.fromEntries([...merged.values()].map(({ name, values }) => [name, values]));
}

function checkHeader(name: string, values: readonly string[]): void {
  try {
    validateHeaderName(name);
    for (const value of values) validateHeaderValue(name, value);
  } catch (cause) {
    throw new Refusal('INTEGRATION_FAILURE', { cause });
  }
}

/** Writes an answer. A HEAD request gets its headers alone. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const bodiless = status === 204 || status === 304;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!bodiless) {
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', body.length);
  }
  response.writeHead(status);
  response.end(bodiless ? undefined : body);
}
