import { randomBytes } from 'node:crypto';
import type { RotationOptions } from '../../lib/background/rotation.ts';
import { rotatingSecret, secretsManagerClient } from '../../lib/credentials/secrets-manager.ts';

/** The secret whose keys sign tokens, as a rotation needs it. */
export function signingSecret(): Pick<RotationOptions, 'secretOf' | 'newKey'> {
  const client = secretsManagerClient();
  return {
    secretOf: (secretId) => rotatingSecret(secretId, client),
    newKey: () => ({ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }),
  };
}
