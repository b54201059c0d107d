import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { manifestKey } from '../../lib/workflow/bulk/s3.ts';
import type { LocalManifest } from './file.ts';
import { resultsIn, type StackResult } from './results.ts';
import { ManifestUnusable } from './unusable.ts';

/** The most that S3 takes at once. */
const MOST_BYTES = 5 * 2 ** 30;

/**
 * Puts a manifest where a company's are, by what is in it: the same one is there once.
 * @returns its key
 * @throws {ManifestUnusable} where it is too large
 */
export async function uploaded(
  client: S3Client,
  { bucket, companyId }: { readonly bucket: string; readonly companyId: string },
  file: LocalManifest,
  sha256: string,
): Promise<string> {
  if (file.size > MOST_BYTES) throw new ManifestUnusable('a manifest of a stack has at most 5 GiB: split it');
  const key = manifestKey(companyId, `${sha256}.jsonl`);
  if (await isThere(client, bucket, key)) return key;
  const Body = Readable.from(file.chunks(), { objectMode: false });
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength: file.size }));
  return key;
}

async function isThere(client: S3Client, bucket: string, key: string): Promise<boolean> {
  try {
    await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'NotFound') return false;
    throw error;
  }
}

const Files = z.object({
  ResultFiles: z.object({
    FAILED: z.array(z.object({ Key: z.string() })),
    SUCCEEDED: z.array(z.object({ Key: z.string() })),
  }),
});

/** What became of the lines of a map run, as Step Functions wrote it into the bucket. */
export async function* resultsOf(client: S3Client, bucket: string, prefix: string): AsyncGenerator<StackResult> {
  const text = await (await get(client, bucket, `${prefix}/manifest.json`)).toArray();
  const { FAILED, SUCCEEDED } = Files.parse(JSON.parse(Buffer.concat(text).toString())).ResultFiles;
  for (const { Key } of [...FAILED, ...SUCCEEDED]) yield* resultsIn(await get(client, bucket, Key));
}

async function get(client: S3Client, bucket: string, key: string): Promise<Readable> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return Body instanceof Readable ? Body : Readable.from([]);
}
