import { randomBytes } from 'node:crypto';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import type { RotationOptions } from '../../lib/background/rotation.ts';

/** The secret whose keys sign tokens, as a rotation needs it. */
export function signingSecret(): Pick<RotationOptions, 'store' | 'newKey'> {
  return {
    store: secretsManagerStore({ client: secretsManagerClient() }),
    newKey: () => ({ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }),
  };
}
