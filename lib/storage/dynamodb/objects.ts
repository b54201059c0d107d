import { createHash } from 'node:crypto';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectVersionsCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { unavailable } from './failures.ts';

/** Immutable objects of a bucket, each written once under a name of its own. */
export interface Objects {
  /** @throws {Problem} `unavailable`; the object may be there all the same */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** `undefined` where there is none. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Removes it with every version that a bucket which keeps versions has of it. Removing what is gone is fine. */
  remove(name: string): Promise<void>;
}

/** A client of Amazon S3: one a process, its region, credentials and endpoint from the SDK's own settings unless given. */
export function s3Client(settings: S3ClientConfig = {}): S3Client {
  return new S3Client({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...settings,
  });
}

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
        // Nobody else uses the name: it was written at the first attempt, whose answer was lost.
        if (cause instanceof Error && cause.name === 'PreconditionFailed') return;
        throw unavailable(cause);
      }
    },

    async get(name) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name }));
        return await Body?.transformToByteArray();
      } catch (cause) {
        if (cause instanceof NoSuchKey) return undefined;
        throw unavailable(cause);
      }
    },

    async remove(name) {
      try {
        await removeVersions(bucket, client, name);
      } catch (cause) {
        throw unavailable(cause);
      }
    },
  };
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
    if (Errors.length > 0) throw new VersionsLeft(Errors[0]?.Code);
  }
}

/** Why S3 did not delete every version. */
class VersionsLeft extends Error {
  override readonly name = 'VersionsLeft';
  readonly code: string | undefined;

  constructor(code: string | undefined) {
    super('S3 did not delete every version');
    this.code = code;
  }
}
