import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { readJson } from '../lib/webhooks/mapping/body.ts';
import { MAPPING_LIMITS } from '../lib/webhooks/mapping/limits.ts';

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
const WithHeaders = z.strictObject({ headers: z.record(z.string(), z.string()), body: z.unknown() });

/** @throws {SampleUnusable} */
export async function readMapping(path: string): Promise<string> {
  return new TextDecoder().decode(await read(path));
}

/**
 * Reads the JSON of a sample: a message's body, or `{ "headers": { … }, "body": … }`. Names of headers become lower-case.
 * @throws {SampleUnusable}
 * @throws {Problem} `malformed-json`
 */
export async function readSample(path: string): Promise<Sample> {
  // the body may be one level below
  const value = readJson(await read(path), MAPPING_LIMITS.levels + 1);
  const { success, data } = WithHeaders.safeParse(value);
  if (!success) return { headers: {}, body: value };
  const headers = Object.entries(data.headers).map(([name, text]) => [name.toLowerCase(), text]);
  return { headers: Object.fromEntries(headers), body: data.body };
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown reason';
    throw new SampleUnusable(`the file ${path} cannot be read: ${code}`);
  }
}
