import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { rotatingSecret, secretsManagerClient } from '../../lib/credentials/secrets-manager.ts';
import type { Publish } from '../../lib/doors/background/events.ts';
import type { RotationOptions } from '../../lib/doors/background/rotation.ts';
import type { Sweep } from '../../lib/doors/background/sweeper.ts';
import { eventBridgeClient, putEvents } from '../../lib/events/event-bridge.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { sweep as sweepAll, sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';

/** What removes the objects that no project has any more. */
export function sweep(): Sweep {
  const { SEGUE_TABLE, SEGUE_BUCKET } = z
    .object({ SEGUE_TABLE: z.string(), SEGUE_BUCKET: z.string() })
    .parse(process.env);
  const objects = objectsIn(SEGUE_BUCKET, s3Client());
  const options = { table: SEGUE_TABLE, client: dynamoDbClient(), objects, now: Date.now };
  return { all: (isTimeLeft) => sweepAll(options, isTimeLeft), one: (object) => sweepObject(options, object) };
}

/** What puts events onto the bus. */
export function publish(): Publish {
  const { SEGUE_EVENT_BUS } = z.object({ SEGUE_EVENT_BUS: z.string() }).parse(process.env);
  const client = eventBridgeClient();
  return (events) => putEvents(SEGUE_EVENT_BUS, client, events);
}

/** The secret whose keys sign tokens, as a rotation needs it. */
export function signingSecret(): Pick<RotationOptions, 'secretOf' | 'newKey'> {
  const client = secretsManagerClient();
  return {
    secretOf: (secretId) => rotatingSecret(secretId, client),
    newKey: () => ({ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }),
  };
}
