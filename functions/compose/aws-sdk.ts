import { randomBytes } from 'node:crypto';
import { eventBridgeClient, putEvents } from '../../lib/aws/event-bridge.ts';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import type { Events } from '../../lib/background/event-publisher.ts';
import type { RotationOptions } from '../../lib/background/signing-key-rotation.ts';
import { items } from './aws.ts';
import { required } from './settings.ts';

/** Returns the dependencies of a signing-key rotation: the store of the secret, and a function that creates a key. */
export function signingSecret(): Pick<RotationOptions, 'store' | 'newKey'> {
  return {
    store: secretsManagerStore({ client: secretsManagerClient() }),
    newKey: () => ({ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }),
  };
}

/** Returns the functions that read a recorded event from the table, and that publish events to the event bus. */
export function events(): Events {
  const bus = required('SEGUE_EVENT_BUS');
  const busClient = eventBridgeClient();
  const records = items();
  return { read: (key) => records.read(key), publish: (published) => putEvents(bus, busClient, published) };
}
