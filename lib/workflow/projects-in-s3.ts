import { addAbortSignal, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { LIMITS } from '../contract/limits.ts';
import { objectProblems, type ReadObject } from './project-reference.ts';

/** The names of S3 errors that a retry cannot fix. */
const PERMANENT: ReadonlySet<string> = new Set([
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

/** Reads objects from S3, with the permissions of the S3 client. */
export function objectsInS3(client: S3Client): ReadObject {
  return async ({ bucket, key, versionId }, deadline) => {
    const signal = AbortSignal.timeout(deadline.remainingMs());
    const object = { Bucket: bucket, Key: key, ...(versionId !== undefined && { VersionId: versionId }) };
    const { Body, ContentLength } = await client
      .send(new GetObjectCommand(object), { abortSignal: signal })
      .catch((cause: unknown) => {
        const isPermanent = cause instanceof Error && PERMANENT.has(cause.name);
        throw isPermanent ? objectProblems.notReadable(cause) : objectProblems.unavailable(cause);
      });
    if (!(Body instanceof Readable) || ContentLength === undefined) throw objectProblems.unavailable(undefined);
    if (ContentLength > LIMITS.bodyBytes) {
      Body.destroy();
      throw objectProblems.tooLarge();
    }
    return buffer(addAbortSignal(signal, Body)).catch((cause) => {
      throw objectProblems.unavailable(cause);
    });
  };
}
