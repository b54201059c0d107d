import { Readable } from 'node:stream';
import { HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { manifestKey } from '../../lib/workflow/bulk/manifests-in-s3.ts';
import type { LocalManifest } from './file.ts';
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
