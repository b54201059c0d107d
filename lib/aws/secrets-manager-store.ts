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
    // Two attempts must fit into the time limit of a request. By default, the SDK waits forever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    ...settings,
  });
}

export interface SecretsManagerStoreOptions {
  readonly client: SecretsManagerClient;
  /** The prefix of every secret's name in Secrets Manager. Default: none. */
  readonly prefix?: string;
  /** The ARN of the KMS key that encrypts new secrets. Default: the key that AWS manages. */
  readonly encryptionKey?: string | undefined;
}

/**
 * Creates a secret store in AWS Secrets Manager. It implements `VersionedSecretStore` of `lib/credentials`. Without a
 * prefix, the name of a secret may also be its ARN.
 */
export function secretsManagerStore({ client, prefix = '', encryptionKey }: SecretsManagerStoreOptions) {
  async function textOf(request: { SecretId: string; VersionStage?: string; VersionId?: string }) {
    return (await client.send(new GetSecretValueCommand(request))).SecretString;
  }

  return {
    async read(name: string): Promise<string> {
      const text = await textOf({ SecretId: prefix + name, VersionStage: CURRENT });
      if (text === undefined) throw new TypeError('The secret contains binary data: store it as text');
      return text;
    },

    async create(name: string, text: string): Promise<void> {
      const secret = { Name: prefix + name, SecretString: text, KmsKeyId: encryptionKey };
      // An earlier attempt may have created the secret although its response was lost.
      await client.send(new CreateSecretCommand(secret)).catch(ignore(ResourceExistsException));
    },

    /** Replaces the value of a secret that exists. */
    async write(name: string, text: string): Promise<void> {
      await client.send(new PutSecretValueCommand({ SecretId: prefix + name, SecretString: text }));
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

/** Creates an error handler that ignores one kind of error and throws all others. */
function ignore(kind: typeof ResourceExistsException | typeof ResourceNotFoundException) {
  return (error: unknown): undefined => {
    if (!(error instanceof kind)) throw error;
    return undefined;
  };
}
