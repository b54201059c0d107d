import { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { type ByteRange, Entry } from '../../../lib/workflow/bulk/manifest.ts';
import { tryParseJson } from '../io.ts';
import { OUTCOMES, type ReportedFailure, type ReportedResult } from './report.ts';

/** The result of a line that ran on a stack. If the line failed, `range` is where its bytes are in the manifest. */
export type StackResult = Exclude<ReportedResult, ReportedFailure> | (ReportedFailure & { readonly range: ByteRange });

const ResultManifest = z.object({
  ResultFiles: z.object({
    FAILED: z.array(z.object({ Key: z.string() })),
    SUCCEEDED: z.array(z.object({ Key: z.string() })),
  }),
});

/** Reads the results of a map run from the files that Step Functions has written to the bucket. */
export async function* resultsOfMapRun(client: S3Client, bucket: string, prefix: string): AsyncGenerator<StackResult> {
  const manifest = await (await readObject(client, bucket, `${prefix}/manifest.json`)).toArray();
  const { FAILED, SUCCEEDED } = ResultManifest.parse(JSON.parse(Buffer.concat(manifest).toString())).ResultFiles;
  for (const { Key } of [...FAILED, ...SUCCEEDED]) yield* resultsInFile(await readObject(client, bucket, Key));
}

async function readObject(client: S3Client, bucket: string, key: string): Promise<Readable> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return Body instanceof Readable ? Body : Readable.from([]);
}

/** How many characters an engine would get for the project of a checked line. A put that comes too late has none. */
const Checked = z.optional(z.object({ automaticCharacters: z.optional(z.number()) }));
const Done = z.object({
  entry: z.number(),
  line: z.number(),
  outcome: z.enum(OUTCOMES),
  replayed: z.boolean(),
  create: Checked,
  put: Checked,
});
const Input = z.object({ entry: Entry });

/** The record that Step Functions writes for the execution of a line. */
const Execution = z.object({
  Input: z.optional(z.string()),
  Output: z.optional(z.string()),
  Error: z.optional(z.string()),
  Cause: z.optional(z.string()),
});
/** The record that Lambda writes for an error that a function threw. */
const LambdaError = z.object({ errorMessage: z.string() });

/** Reads the results in one file. The file is a JSON array of executions, one for each line. */
export async function* resultsInFile(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StackResult> {
  for await (const json of objectsInArray(chunks)) yield resultOf(Execution.parse(JSON.parse(json)));
}

function resultOf({
  Input: input = '',
  Output: output,
  Error: failure = 'Error',
  Cause: cause = '',
}: z.infer<typeof Execution>): StackResult {
  if (output !== undefined) return Done.parse(JSON.parse(output));
  const { entry, line, offset, bytes } = Input.parse(JSON.parse(input)).entry;
  const thrown = LambdaError.safeParse(tryParseJson(cause));
  const range = { offset, bytes };
  return { entry, line, outcome: 'failed', failure, cause: thrown.data?.errorMessage ?? cause, range };
}

/**
 * Splits a JSON array of objects into the JSON text of each object. Only one object is in memory at a time.
 * @throws {SyntaxError} if the array does not end
 */
async function* objectsInArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let object = '';
  let lastOutside = '';
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? '';
      if (isEscaped) isEscaped = false;
      else if (isString && character === '\\') isEscaped = true;
      else if (character === '"') isString = !isString;
      else if (isString) continue;
      else if (character === '{') {
        if (depth === 0) from = at;
        depth++;
      } else if (character === '}') {
        depth--;
        if (depth > 0) continue;
        yield object + text.slice(from, at + 1);
        object = '';
      } else if (depth === 0 && character.trim()) lastOutside = character;
    }
    if (depth > 0) object += text.slice(from);
  }
  if (lastOutside !== ']') throw new SyntaxError('The array of results does not end.');
}
