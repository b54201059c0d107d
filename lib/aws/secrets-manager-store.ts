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
 * Creates a client of AWS Secrets Manager, one a process. Region, credentials and endpoint come from the SDK's own settings
 * (`AWS_REGION`, `AWS_ENDPOINT_URL_SECRETS_MANAGER` and so on) unless given.
 */
export function secretsManagerClient(settings: SecretsManagerClientConfig = {}): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 2,
    // Two attempts fit into the time of a request. The SDK by default waits for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
    ...settings,
  });
}

export interface SecretsManagerStoreOptions {
  readonly client: SecretsManagerClient;
  /** What the names of the secrets begin with in Secrets Manager; nothing unless given. */
  readonly prefix?: string;
  /** The ARN of the key that encrypts new secrets; AWS's own key unless given. */
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
      // The secret exists if the answer of an earlier attempt was lost.
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

/** Takes one kind of error for success. */
function ignore(kind: typeof ResourceExistsException | typeof ResourceNotFoundException) {
  return (error: unknown): undefined => {
    if (!(error instanceof kind)) throw error;
    return undefined;
  };
}
