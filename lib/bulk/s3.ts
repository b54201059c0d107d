import { GetObjectCommand, type GetObjectCommandOutput, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Problem } from '../contract/problem.ts';
import type { Entry, ManifestFile, Place } from './manifest.ts';
import { manifestChanged } from './manifest.ts';

/** An object of a bucket as it was when it was looked at. */
export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
  /** Of its content; whatever it is now unless given. */
  readonly etag?: string | undefined;
}

/** A manifest in a bucket. */
export function manifestInBucket(client: S3Client, { bucket, key, etag }: ObjectName): ManifestFile {
  async function get(range?: string): Promise<GetObjectCommandOutput> {
    try {
      const asked = { Bucket: bucket, Key: key, ...(etag !== undefined && { IfMatch: etag }) };
      return await client.send(new GetObjectCommand({ ...asked, ...(range !== undefined && { Range: range }) }));
    } catch (error) {
      throw problemOf(error);
    }
  }
  return {
    async *chunks() {
      const { Body } = await get();
      if (!(Body && Symbol.asyncIterator in Body)) return;
      try {
        for await (const chunk of Body) yield Buffer.from(chunk);
      } catch (error) {
        throw problemOf(error);
      }
    },
    async read({ offset, bytes }: Pick<Place, 'offset' | 'bytes'>) {
      if (bytes === 0) return new Uint8Array();
      const { Body } = await get(`bytes=${offset}-${offset + bytes - 1}`);
      return (await Body?.transformToByteArray()) ?? new Uint8Array();
    },
  };
}

/** The present ETag of an object. @throws {Problem} `invalid-parameter` where there is none */
export async function etagOf(client: S3Client, { bucket, key }: ObjectName): Promise<string> {
  try {
    const { ETag } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: 'bytes=0-0' }));
    if (ETag !== undefined) return ETag;
  } catch (error) {
    throw problemOf(error);
  }
  throw noManifest();
}

function problemOf(cause: unknown): Problem {
  const name = cause instanceof Error ? cause.name : '';
  if (cause instanceof Problem) return cause;
  if (name === 'PreconditionFailed') return manifestChanged();
  if (name === 'NoSuchKey' || name === 'InvalidRange') return noManifest();
  return new Problem('unavailable', { detail: 'The manifest cannot be read now.', retryAfterSeconds: 1 }, { cause });
}
