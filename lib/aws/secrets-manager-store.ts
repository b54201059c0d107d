import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';

const CURRENT = 'AWSCURRENT';
const PENDING = 'AWSPENDING';

/**
 * Creates a client of AWS Secrets Manager. Create one per process and share it. Region, credentials and endpoint come
 * from the SDK's settings, such as `AWS_REGION` and `AWS_ENDPOINT_URL_SECRETS_MANAGER`.
 */
export function secretsManagerClient(settings: SecretsManagerClientConfig = {}): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 2,
    // two attempts fit into the time of a request; by default the SDK waits for ever
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    ...settings,
  });
}

export interface SecretsManagerStoreOptions {
  readonly client: SecretsManagerClient;
  /** The prefix of the names in Secrets Manager. Default: none. */
  readonly prefix?: string;
  /** The ARN of the KMS key of new secrets. Default: the key of AWS. */
  readonly encryptionKey?: string | undefined;
}

/** A secret store in AWS Secrets Manager: a `VersionedSecretStore` of `lib/credentials`. Secrets are named by name or ARN. */
export function secretsManagerStore({ client, prefix = '', encryptionKey }: SecretsManagerStoreOptions) {
  async function textOf(request: { SecretId: string; VersionStage?: string; VersionId?: string }) {
    return (await client.send(new GetSecretValueCommand(request))).SecretString;
  }

  return {
    async read(name: string): Promise<string> {
      const text = await textOf({ SecretId: prefix + name, VersionStage: CURRENT });
      if (text === undefined) throw new TypeError('The secret holds bytes, not text');
      return text;
    },

    async create(name: string, text: string): Promise<void> {
      const secret = { Name: prefix + name, SecretString: text, KmsKeyId: encryptionKey };
      // the secret exists if the answer of an earlier attempt was lost
      await client.send(new CreateSecretCommand(secret)).catch(ignore(ResourceExistsException));
    },

    async delete(name: string): Promise<void> {
      const secret = { SecretId: prefix + name, ForceDeleteWithoutRecovery: true };
      await client.send(new DeleteSecretCommand(secret)).catch(ignore(ResourceNotFoundException));
    },

    async readVersion(name: string, versionId: string): Promise<string | undefined> {
      return textOf({ SecretId: prefix + name, VersionId: versionId }).catch(ignore(ResourceNotFoundException));
    },

    async stageVersion(name: string, versionId: string, text: string): Promise<void> {
      const version = { ClientRequestToken: versionId, SecretString: text, VersionStages: [PENDING] };
      await client.send(new PutSecretValueCommand({ SecretId: prefix + name, ...version }));
    },

    async promoteVersion(name: string, versionId: string): Promise<void> {
      const SecretId = prefix + name;
      const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId }));
      const [current] = Object.entries(VersionIdsToStages).find(([, stages]) => stages.includes(CURRENT)) ?? [];
      if (current === versionId) return;
      const move = { VersionStage: CURRENT, MoveToVersionId: versionId, RemoveFromVersionId: current };
      await client.send(new UpdateSecretVersionStageCommand({ SecretId, ...move }));
    },
  };
}

/** Turns one kind of error into success. */
function ignore(kind: typeof ResourceExistsException | typeof ResourceNotFoundException) {
  return (error: unknown): undefined => {
    if (!(error instanceof kind)) throw error;
    return undefined;
  };
}
