import {
  CreateSecretCommand,
  DeleteSecretCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { JsonClient } from '../aws/json-client.ts';
import { secretInSecretsManager } from './secret-value.ts';
import type { Vault } from './vault.ts';

/** Where in Secrets Manager a vault is. */
export interface VaultPlace {
  /** How the names of its secrets begin. */
  readonly prefix: string;
  /** The key that encrypts them; AWS's own unless given. */
  readonly encryptionKey?: string | undefined;
}

/**
 * The secrets of a stack: each one of AWS Secrets Manager.
 * @param reading what reads them
 */
export function vaultInSecretsManager(
  { prefix, encryptionKey }: VaultPlace,
  client: SecretsManagerClient,
  reading: JsonClient,
): Vault {
  return {
    read: (place) => secretInSecretsManager(prefix + place, reading).read(),
    async write(place, text) {
      const secret = { Name: prefix + place, SecretString: text, KmsKeyId: encryptionKey };
      await client
        .send(new CreateSecretCommand(secret))
        // The answer of an attempt before was lost.
        .catch(passing(ResourceExistsException));
    },
    async erase(place) {
      const secret = { SecretId: prefix + place, ForceDeleteWithoutRecovery: true };
      await client.send(new DeleteSecretCommand(secret)).catch(passing(ResourceNotFoundException));
    },
  };
}

/** Takes one kind of failure for a success. */
function passing(kind: typeof ResourceExistsException | typeof ResourceNotFoundException) {
  return (error: unknown): void => {
    if (!(error instanceof kind)) throw error;
  };
}
