import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Problem } from '../../contract/problem.ts';
import { type ByteRange, type ManifestFile, manifestChanged, type ObjectVersion } from './manifest.ts';

/** The manifests of all companies. A company can read only the manifests under its own prefix. */
export interface Manifests {
  /** Finds the current version of a manifest. @throws {Problem} `invalid-parameter` if the manifest does not exist */
  find(companyId: string, key: string): Promise<ObjectVersion>;
  /**
   * Opens a version of a manifest.
   * @throws {Problem} `invalid-parameter` if `version` is `undefined` or the manifest belongs to another company
   */
  open(companyId: string, version: ObjectVersion | undefined): ManifestFile;
  /**
   * Writes the index of a manifest.
   * @param sha256 the SHA-256 of the manifest's bytes, in hex
   * @returns the key of the index
   */
  writeIndex(companyId: string, sha256: string, index: Uint8Array): Promise<string>;
}

/** Returns the key of a company's manifest in the bucket. */
export function manifestKey(companyId: string, name: string): string {
  return `manifests/${companyId}/${name}`;
}

/** Reads manifests from an S3 bucket, and writes their indexes to the bucket. */
export function manifestsInS3(bucket: string, client: S3Client): Manifests {
  const requireOwn = (companyId: string, key: string) => {
    if (!key.startsWith(manifestKey(companyId, ''))) throw manifestNotFound();
  };
  return {
    async find(companyId, key) {
      requireOwn(companyId, key);
      const { ETag: etag = '' } = await translateErrors(() =>
        client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: 'bytes=0-0' })),
      );
      return { key, etag };
    },

    open(companyId, version) {
      if (version === undefined) throw manifestNotFound();
      const { key, etag } = version;
      requireOwn(companyId, key);
      const get = (range: object): Promise<GetObjectCommandOutput> =>
        translateErrors(() => client.send(new GetObjectCommand({ Bucket: bucket, Key: key, IfMatch: etag, ...range })));
      return {
        async *chunks() {
          const { Body } = await get({});
          if (!(Body instanceof Readable)) return;
          const chunks = Body[Symbol.asyncIterator]();
          for (;;) {
            const { done, value } = await translateErrors(() => chunks.next());
            if (done) return;
            yield value;
          }
        },
        async read({ offset, bytes }: ByteRange) {
          const { Body } = await get({ Range: `bytes=${offset}-${offset + bytes - 1}` });
          return translateErrors(async () => (await Body?.transformToByteArray()) ?? new Uint8Array());
        },
      };
    },

    async writeIndex(companyId, sha256, index) {
      const key = `index/${companyId}/${sha256}.csv`;
      await translateErrors(() => client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: index })));
      return key;
    },
  };
}

async function translateErrors<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (cause) {
    const status = cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
    if (status === 412) throw manifestChanged();
    // S3 answers 416 for an empty object, because it has no first byte.
    if (status === 404 || status === 416) throw manifestNotFound();
    const detail = 'The S3 bucket of the manifests is unavailable at the moment.';
    throw new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
  }
}

function manifestNotFound(): Problem {
  return new Problem('invalid-parameter', {
    detail: 'The company has no manifest with this key, or the manifest is empty.',
    errors: [
      {
        pointer: '/key',
        code: 'not-allowed',
        detail: 'Give the key of an object that is not empty. The key must begin with manifests/<company id>/.',
      },
    ],
  });
}
