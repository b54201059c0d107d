import { randomBytes } from 'node:crypto';
import { eventBridgeClient, putEvents } from '../../lib/aws/event-bridge.ts';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import type { Events } from '../../lib/background/event-publisher.ts';
import type { RotationOptions } from '../../lib/background/signing-key-rotation.ts';
import { items } from './aws.ts';
import { required } from './settings.ts';

/** Creates the store of the secret with the signing keys, and the generator of new keys, for a rotation. */
export function signingSecret(): Pick<RotationOptions, 'store' | 'newKey'> {
  return {
    store: secretsManagerStore({ client: secretsManagerClient() }),
    newKey: () => ({ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }),
  };
}

/** Returns the reader of recorded events in the table, and the event bus that publishes them. */
export function events(): Events {
  const bus = required('SEGUE_EVENT_BUS');
  const busClient = eventBridgeClient();
  const records = items();
  return { read: (key) => records.read(key), publish: (published) => putEvents(bus, busClient, published) };
}
