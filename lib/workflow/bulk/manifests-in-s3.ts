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

/** The manifests of all companies. A company reaches only those under its own prefix. */
export interface Manifests {
  /** Finds the current version. @throws {Problem} `invalid-parameter` if the company has no such manifest */
  find(companyId: string, key: string): Promise<ObjectVersion>;
  /** Opens a version. @throws {Problem} `invalid-parameter` if it is another company's, or `undefined` */
  open(companyId: string, version: ObjectVersion | undefined): ManifestFile;
  /** Writes the index of a manifest. @param sha256 of the manifest's bytes @returns the index's key */
  writeIndex(companyId: string, sha256: string, index: Uint8Array): Promise<string>;
}

/** The key of a company's manifest. */
export function manifestKey(companyId: string, name: string): string {
  return `manifests/${companyId}/${name}`;
}

/** Reads manifests from an S3 bucket, and writes their indexes to it. */
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
    // 416: an empty object has no first byte.
    if (status === 404 || status === 416) throw manifestNotFound();
    const detail = 'The bucket of the manifests is unavailable.';
    throw new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
  }
}

function manifestNotFound(): Problem {
  return new Problem('invalid-parameter', {
    detail: 'The company has no such manifest, or it is empty.',
    errors: [
      {
        pointer: '/key',
        code: 'not-allowed',
        detail: 'Name an object that is not empty, under manifests/<company id>/.',
      },
    ],
  });
}
