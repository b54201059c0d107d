import type { Sweep } from '../../lib/background/sweep-handler.ts';
import { lazy } from '../../lib/contract/lazy.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { sweep as sweepAll, sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';
import { manifestsInS3 } from '../../lib/workflow/bulk/manifests-in-s3.ts';
import { client } from './aws-tables.ts';
import { required } from './environment.ts';

/** Opens the `Sweep` of the bucket that `SEGUE_BUCKET` names. It deletes the objects that no item of the table uses. */
export function sweep(): Sweep {
  const bucket = objectsIn(required('SEGUE_BUCKET'), s3Client());
  const options = { table: required('SEGUE_TABLE'), client: client(), objects: bucket, now: Date.now };
  return { all: (isTimeLeft) => sweepAll(options, isTimeLeft), one: (object) => sweepObject(options, object) };
}

/** The manifests of bulk runs, in the bucket that `SEGUE_MANIFESTS` names. */
export const manifests = /* @__PURE__ */ lazy(() => manifestsInS3(required('SEGUE_MANIFESTS'), s3Client()));
