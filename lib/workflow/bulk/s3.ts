import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Problem } from '../../contract/problem.ts';
import { type ManifestFile, manifestChanged, type ObjectVersion, type Place } from './manifest.ts';

/** The bucket of the manifests. What is a company's is under its name. */
export interface Manifests {
  /** @throws {Problem} `invalid-parameter` where the company has no such manifest */
  look(companyId: string, key: string): Promise<ObjectVersion>;
  /** @throws {Problem} `invalid-parameter` where that is not of the company */
  open(companyId: string, version: ObjectVersion | undefined): ManifestFile;
  /** Keeps the index of a manifest. @param sha256 of the manifest's bytes @returns the key of the index */
  keepIndex(companyId: string, sha256: string, index: Uint8Array): Promise<string>;
}

/** Where the manifests of a company are. */
export function manifestKey(companyId: string, name: string): string {
  return `manifests/${companyId}/${name}`;
}

export function manifestsIn(bucket: string, client: S3Client): Manifests {
  /** What stands under another company's name is not there. */
  const requireOwn = (companyId: string, key: string) => {
    if (!key.startsWith(manifestKey(companyId, ''))) throw noManifest();
  };
  return {
    async look(companyId, key) {
      requireOwn(companyId, key);
      const { ETag: etag = '' } = await sent(() =>
        client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: 'bytes=0-0' })),
      );
      return { key, etag };
    },

    open(companyId, version) {
      if (version === undefined) throw noManifest();
      const { key, etag } = version;
      requireOwn(companyId, key);
      const get = (range: object): Promise<GetObjectCommandOutput> =>
        sent(() => client.send(new GetObjectCommand({ Bucket: bucket, Key: key, IfMatch: etag, ...range })));
      return {
        async *chunks() {
          const { Body } = await get({});
          if (!(Body instanceof Readable)) return;
          const chunks = Body[Symbol.asyncIterator]();
          for (;;) {
            const { done, value } = await sent(() => chunks.next());
            if (done) return;
            yield value;
          }
        },
        async read({ offset, bytes }: Pick<Place, 'offset' | 'bytes'>) {
          const { Body } = await get({ Range: `bytes=${offset}-${offset + bytes - 1}` });
          return sent(async () => (await Body?.transformToByteArray()) ?? new Uint8Array());
        },
      };
    },

    async keepIndex(companyId, sha256, index) {
      const key = `index/${companyId}/${sha256}.csv`;
      await sent(() => client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: index })));
      return key;
    },
  };
}

async function sent<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (cause) {
    const status = cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
    if (status === 412) throw manifestChanged();
    // an empty object has no first byte
    if (status === 404 || status === 416) throw noManifest();
    const detail = 'The bucket of the manifests cannot be used now.';
    throw new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
  }
}

function noManifest(): Problem {
  return new Problem('invalid-parameter', {
    detail: 'The company has no such manifest, or it is empty.',
    errors: [
      {
        pointer: '/key',
        code: 'not-allowed',
        detail: 'Name an object under manifests/ and the company’s id that is not empty.',
      },
    ],
  });
}
