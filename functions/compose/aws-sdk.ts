import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import type { RotationOptions } from '../../lib/background/signing-key-rotation.ts';
import { newSigningKey } from '../../lib/credentials/signing-key-rotation.ts';

/** Returns the dependencies of a signing-key rotation: the store of the secret, and a function that creates a key. */
export function signingSecret(): Pick<RotationOptions, 'store' | 'newKey'> {
  return {
    store: secretsManagerStore({ client: secretsManagerClient() }),
    newKey: newSigningKey,
  };
}
