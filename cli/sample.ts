import { readFile } from 'node:fs/promises';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod/mini';
import { MAPPING_LIMITS } from '../lib/webhooks/mapping/limits.ts';
import { isForm, readBody, readJson } from '../lib/webhooks/mapping/read-body.ts';

/** A mapping or its sample cannot be read. The message is for the person who asked, and quotes nothing of them. */
export class SampleUnusable extends Error {
  override readonly name = 'SampleUnusable';
}

/** A message as a mapping gets it. */
export interface Sample {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A sample with headers says so by having these two fields and no other; anything else is a body alone. */
const WithHeaders = z
  .strictObject({ headers: z.unknown(), body: z.unknown() })
  .check(z.refine((sample) => Object.hasOwn(sample, 'headers') && Object.hasOwn(sample, 'body')));
const Headers = z.record(z.string(), z.string());

/** @throws {SampleUnusable} */
export async function readMapping(path: string): Promise<string> {
  return new TextDecoder().decode(await read(path));
}

/**
 * Reads the JSON of a sample: a message's body, or `{ "headers": { … }, "body": … }`. Names of headers become lower-case.
 * If the headers say that the body is a form, a text is the form as it is sent.
 * @throws {SampleUnusable}
 * @throws {Problem} `malformed-json`
 */
export async function readSample(path: string): Promise<Sample> {
  const { headers, body } = sampleIn(await read(path));
  return { headers, body: isForm(headers) && typeof body === 'string' ? readBody(headers, Buffer.from(body)) : body };
}

/** A sample as its sender sends it, before it is signed. */
export interface SampleMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Reads a sample as the message that a sender would send.
 * @throws {SampleUnusable}
 * @throws {Problem} `malformed-json`
 */
export async function readSampleMessage(path: string): Promise<SampleMessage> {
  const bytes = await read(path);
  const { headers, body, hasHeaders } = sampleIn(bytes);
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name)));
  requireSendable(sent);
  if (isForm(headers)) {
    const form = typeof body === 'string' ? body : `payload=${encodeURIComponent(JSON.stringify(body))}`;
    return { headers: sent, body: Buffer.from(form) };
  }
  const written = hasHeaders ? Buffer.from(JSON.stringify(body)) : bytes;
  return { headers: { 'content-type': 'application/json', ...sent }, body: written };
}

/** Headers of a captured message that belong to its connection, or to what the sender wanted in return. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
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

function sampleIn(bytes: Uint8Array): Sample & { readonly hasHeaders: boolean } {
  // the body may be one level below
  const value = readJson(bytes, MAPPING_LIMITS.levels + 1, 'sample');
  const { success, data } = WithHeaders.safeParse(value);
  if (!success) return { headers: {}, body: value, hasHeaders: false };
  const given = Headers.safeParse(data.headers);
  if (!given.success) throw new SampleUnusable(NO_HEADERS);
  const headers = Object.entries(given.data).map(([name, text]) => [name.toLowerCase(), text]);
  return { headers: Object.fromEntries(headers), body: data.body, hasHeaders: true };
}

const NO_HEADERS =
  'the headers of the sample must be an object of strings; if the message itself has only the fields headers and body, write { "headers": {}, "body": <the message> }';

/** @throws {SampleUnusable} */
function requireSendable(headers: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, text);
    } catch {
      throw new SampleUnusable(`the sample has a header that cannot be sent: ${JSON.stringify(name)}`);
    }
  }
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown reason';
    throw new SampleUnusable(`the file ${path} cannot be read: ${code}`);
  }
}
