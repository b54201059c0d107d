import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import { signingKeyRotator } from '../../lib/background/signing-key-rotator.ts';
import { newSigningKey } from '../../lib/credentials/signing-key-rotation.ts';

const store = secretsManagerStore({ client: secretsManagerClient() });

export const handler = signingKeyRotator({ store, newKey: newSigningKey, now: Date.now });
