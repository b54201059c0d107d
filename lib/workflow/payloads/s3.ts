import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { LIMITS } from '../../contract/limits.ts';
import { failures } from './failures.ts';
import type { ReadObject } from './port.ts';

/** By which S3 says that asking again is of no use. */
const FOR_GOOD: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AllAccessDisabled',
  'InvalidArgument',
  'InvalidBucketName',
  'InvalidObjectState',
  'KeyTooLongError',
  'MethodNotAllowed',
  'NoSuchBucket',
  'NoSuchKey',
  'NoSuchVersion',
  'PermanentRedirect',
]);

/** Reads objects of Amazon S3, as far as the client's credentials may. */
export function objectsInS3(client: S3Client): ReadObject {
  return async ({ bucket, key, versionId }, deadline) => {
    const signal = AbortSignal.timeout(deadline.remainingMs());
    const object = { Bucket: bucket, Key: key, ...(versionId !== undefined && { VersionId: versionId }) };
    const { Body, ContentLength } = await client
      .send(new GetObjectCommand(object), { abortSignal: signal })
      .catch(refused);
    if (!(Body instanceof Readable) || ContentLength === undefined) throw failures.unavailable(undefined);
    // before any of it is read: it has its size as the first thing
    if (ContentLength > LIMITS.bodyBytes) {
      Body.destroy();
      throw failures.tooLarge();
    }
    return buffer(addAbortSignal(signal, Body)).catch((cause) => {
      throw failures.unavailable(cause);
    });
  };
}

function refused(cause: unknown): never {
  throw cause instanceof Error && FOR_GOOD.has(cause.name) ? failures.noObject(cause) : failures.unavailable(cause);
}
