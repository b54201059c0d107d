import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import type { RotatingSecret } from './rotation.ts';

/**
 * A client of AWS Secrets Manager: one a process, its region, credentials and endpoint from the SDK's own settings
 * (`AWS_REGION`, `AWS_ENDPOINT_URL_SECRETS_MANAGER` and so on) unless given.
 */
export function secretsManagerClient(settings: SecretsManagerClientConfig = {}): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 2,
    // Two attempts fit into the time of a request; the SDK by itself would wait for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    ...settings,
  });
}

/** A secret whose versions a rotation works on. */
export function rotatingSecret(secretId: string, client: SecretsManagerClient): RotatingSecret {
  return {
    async readCurrent() {
      const current = { SecretId: secretId, VersionStage: 'AWSCURRENT' };
      const { SecretString } = await client.send(new GetSecretValueCommand(current));
      if (SecretString === undefined) throw new TypeError('The secret holds bytes, not text');
      return SecretString;
    },
    async readVersion(version) {
      // Whatever stage it is in: what was prepared once is never prepared again.
      const wanted = { SecretId: secretId, VersionId: version };
      try {
        return (await client.send(new GetSecretValueCommand(wanted))).SecretString;
      } catch (error) {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      }
    },
    async writePending(version, text) {
      const pending = { ClientRequestToken: version, SecretString: text, VersionStages: ['AWSPENDING'] };
      await client.send(new PutSecretValueCommand({ SecretId: secretId, ...pending }));
    },
    async promote(version) {
      const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId: secretId }));
      const [current] = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes('AWSCURRENT')) ?? [];
      if (current === version) return;
      await client.send(
        new UpdateSecretVersionStageCommand({
          SecretId: secretId,
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: version,
          RemoveFromVersionId: current,
        }),
      );
    },
  };
}
