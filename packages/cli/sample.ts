import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod/mini';
import { Problem } from '../../lib/contract/problem.ts';
import { MAPPING_LIMITS } from '../../lib/webhooks/mapping/limits.ts';
import { isForm, readBody, readJson } from '../../lib/webhooks/mapping/read-body.ts';
import { readBytes } from './files.ts';
import { CliError, UsageError } from './io.ts';
import { parseJsonFile } from './json-file.ts';

/** A sample message as the input of a mapping. */
export interface Sample {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** What the source fetches for the message, as JSON. */
  readonly fetchedJson?: string | undefined;
}

/**
 * The form of a sample file that has headers. It has these two fields, and may have what the source fetches. Any other
 * file holds only a body.
 */
const WithHeaders = z
  .strictObject({ headers: z.unknown(), body: z.unknown(), fetched: z.exactOptional(z.unknown()) })
  .check(z.refine((sample) => Object.hasOwn(sample, 'headers') && Object.hasOwn(sample, 'body')));
const Headers = z.record(z.string(), z.string());

/**
 * Reads a sample file as the input of a mapping. The file holds a message's body, or `{ "headers": { … }, "body": … }`
 * with the field `fetched` if there is an entry. Header names become lower-case. If a header says that the body is a
 * form, a body that is text is decoded as a form.
 * @throws {CliError} if the file cannot be read, is not valid JSON, or its headers are invalid
 */
export async function readSample(path: string): Promise<Sample> {
  const { headers, body, fetchedJson } = parseSample(path, await readBytes(path));
  const isEncoded = isForm(headers) && typeof body === 'string';
  return { headers, body: isEncoded ? readBody(headers, Buffer.from(body)) : body, fetchedJson };
}

/** Returns a received message as the input of a mapping. @throws {CliError} if its body cannot be read */
export function sampleOfMessage({ headers, body }: SampleMessage): Sample {
  try {
    return { headers, body: readBody(headers, body) };
  } catch (error) {
    throw error instanceof Problem ? new CliError(error.message, { cause: error }) : error;
  }
}

/** A sample message as an HTTP message, not yet signed. */
export interface SampleMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Reads a sample file as the HTTP message that its sender would send.
 * @throws {CliError} if the file cannot be read, is not valid JSON, or its headers are invalid
 */
export async function readSampleMessage(path: string): Promise<SampleMessage> {
  const bytes = await readBytes(path);
  const { headers, body, hasHeaders } = parseSample(path, bytes);
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED_HEADERS.has(name)));
  requireSendable(sent);
  if (isForm(headers)) {
    const form = typeof body === 'string' ? body : `payload=${encodeURIComponent(JSON.stringify(body))}`;
    return { headers: sent, body: Buffer.from(form) };
  }
  const written = hasHeaders ? Buffer.from(JSON.stringify(body)) : bytes;
  return { headers: { 'content-type': 'application/json', ...sent }, body: written };
}

/** The headers of a captured message that are not sent again. They describe its connection, encoding or response. */
const DROPPED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

function parseSample(path: string, bytes: Uint8Array): Sample & { readonly hasHeaders: boolean } {
  // In a file with headers, the body is one level deeper.
  const parse = (json: Uint8Array) => readJson(json, MAPPING_LIMITS.levels + 1, 'sample');
  const value = parseJsonFile({ path, bytes, content: 'sample' }, parse);
  const { success, data } = WithHeaders.safeParse(value);
  if (!success) return { headers: {}, body: value, hasHeaders: false };
  const given = Headers.safeParse(data.headers);
  if (!given.success) throw new UsageError(NO_HEADERS);
  const headers = Object.entries(given.data).map(([name, text]) => [name.toLowerCase(), text]);
  const fetched = Object.hasOwn(data, 'fetched') ? { fetchedJson: JSON.stringify(data.fetched) } : {};
  return { headers: Object.fromEntries(headers), body: data.body, ...fetched, hasHeaders: true };
}

const NO_HEADERS =
  'the headers of the sample must be an object of strings; if the message itself has only the fields headers and body, write { "headers": {}, "body": <the message> }';

/** Checks that HTTP allows the names and values of headers. @throws {CliError} for the first invalid header */
function requireSendable(headers: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, text);
    } catch {
      throw new UsageError(`the sample has a header that cannot be sent: ${JSON.stringify(name)}`);
    }
  }
}
