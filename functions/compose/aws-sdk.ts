import { randomBytes } from 'node:crypto';
import { eventBridgeClient, putEvents } from '../../lib/aws/event-bridge.ts';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import type { Events } from '../../lib/background/event-publisher.ts';
import type { RotationOptions } from '../../lib/background/signing-key-rotation.ts';
import type { Sweep } from '../../lib/background/sweeper.ts';
import { lazy } from '../../lib/service/lazy.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { sweep as sweepAll, sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';
import { manifestsInS3 } from '../../lib/workflow/bulk/manifests-in-s3.ts';
import { client, items } from './aws.ts';
import { required } from './settings.ts';

/** Deletes the objects that no project uses. */
export function sweep(): Sweep {
  const bucket = objectsIn(required('SEGUE_BUCKET'), s3Client());
  const options = { table: required('SEGUE_TABLE'), client: client(), objects: bucket, now: Date.now };
  return { all: (isTimeLeft) => sweepAll(options, isTimeLeft), one: (object) => sweepObject(options, object) };
}

/** The secret of the signing keys, for their rotation. */
export function signingSecret(): Pick<RotationOptions, 'store' | 'newKey'> {
  return {
    store: secretsManagerStore({ client: secretsManagerClient() }),
    newKey: () => ({ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }),
  };
}

/** The events in the table and the event bus. */
export function events(): Events {
  const bus = required('SEGUE_EVENT_BUS');
  const busClient = eventBridgeClient();
  const records = items();
  return { read: (key) => records.read(key), publish: (published) => putEvents(bus, busClient, published) };
}

/** The manifests of bulk runs. */
export const manifests = /* @__PURE__ */ lazy(() => manifestsInS3(required('SEGUE_MANIFESTS'), s3Client()));
