import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SecretReader } from './secrets.ts';

/**
 * A client of AWS Secrets Manager: one a process, its region, credentials and endpoint from the SDK's own settings
 * (`AWS_REGION`, `AWS_ENDPOINT_URL_SECRETS_MANAGER` and so on).
 */
export function secretsManagerClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 2,
    // Two attempts fit into the time of a request; the SDK by itself would wait for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
}

/**
 * A secret in AWS Secrets Manager, its current version.
 * @param secretId name or ARN
 */
export function secretInSecretsManager(secretId: string, client: SecretsManagerClient): SecretReader {
  return {
    async read() {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
      if (SecretString === undefined) throw new TypeError('The secret holds bytes, not text');
      return SecretString;
    },
  };
}
