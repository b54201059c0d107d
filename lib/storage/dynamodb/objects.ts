import { createHash } from 'node:crypto';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { storeUnavailable } from '../../contract/failures.ts';
import type { ByteRange } from '../port.ts';

/** The objects of a bucket. Each object has a unique name and is written only once. */
export interface Objects {
  /**
   * Writes an object.
   * @throws {Problem} `unavailable`; the object may have been written nevertheless
   */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object, or only a range of its bytes; `undefined` if the object does not exist. */
  get(name: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** Removes every version of an object. Does nothing if the object does not exist. */
  remove(name: string): Promise<void>;
}

/**
 * Creates a client of Amazon S3. The region, credentials and endpoint come from the SDK's defaults unless `settings`
 * has them.
 */
export function s3Client(settings: S3ClientConfig = {}): S3Client {
  return new S3Client({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...settings,
  });
}

/** Makes the `Objects` of a bucket in Amazon S3. */
export function objectsIn(bucket: string, client: S3Client): Objects {
  return {
    async put(name, bytes) {
      try {
        await client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: name,
            Body: bytes,
            ContentLength: bytes.length,
            ChecksumSHA256: createHash('sha256').update(bytes).digest('base64'),
            IfNoneMatch: '*',
          }),
        );
      } catch (cause) {
        // The object exists. Only this call uses the name, so an earlier attempt of the SDK wrote it and lost the
        // answer.
        if (cause instanceof Error && cause.name === 'PreconditionFailed') return;
        throw storeUnavailable(cause);
      }
    },

    async get(name, range) {
      try {
        // HTTP includes the last byte of a range.
        const part = range && { Range: `bytes=${range.from}-${range.to - 1}` };
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name, ...part }));
        return await Body?.transformToByteArray();
      } catch (cause) {
        if (cause instanceof NoSuchKey) return undefined;
        throw storeUnavailable(cause);
      }
    },

    async remove(name) {
      try {
        await removeVersions(bucket, client, name);
      } catch (cause) {
        throw storeUnavailable(cause);
      }
    },
  };
}

/** An object of a bucket. */
export interface ListedObject {
  readonly name: string;
  /** When the object was written, in milliseconds since 1970. */
  readonly writtenAtMs: number;
}

/** Lists all objects of a bucket. */
export async function* listObjects(bucket: string, client: S3Client): AsyncGenerator<ListedObject> {
  let next: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: next }));
    for (const { Key, LastModified } of page.Contents ?? []) {
      if (Key !== undefined) yield { name: Key, writtenAtMs: LastModified?.getTime() ?? 0 };
    }
    next = page.NextContinuationToken;
  } while (next !== undefined);
}

async function removeVersions(bucket: string, client: S3Client, name: string): Promise<void> {
  for (;;) {
    const listed = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: name }));
    const versions = [...(listed.Versions ?? []), ...(listed.DeleteMarkers ?? [])]
      .filter(({ Key }) => Key === name)
      .map(({ VersionId }) => ({ Key: name, VersionId }));
    if (versions.length === 0) return;
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: versions, Quiet: true } }),
    );
    if (Errors.length > 0) {
      const error = new Error('S3 did not delete every version');
      throw Object.assign(error, { name: 'VersionsLeft', code: Errors[0]?.Code });
    }
  }
}
