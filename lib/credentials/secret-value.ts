import * as z from 'zod/mini';
import {
  AwsRefusal,
  type JsonClient,
  type JsonClientOptions,
  type JsonService,
  jsonClient,
} from '../aws/json-client.ts';
import type { SecretReader } from './secrets.ts';

const SECRETS_MANAGER: JsonService = {
  host: 'secretsmanager',
  setting: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  protocol: '1.1',
  target: 'secretsmanager',
  answerMs: 3_000,
};

/** Two fit into the time of a request. */
const MOST_ATTEMPTS = 2;

/** By which it says that it takes no more now. */
const THROTTLED: readonly string[] = ['ThrottlingException', 'TooManyRequestsException', 'LimitExceededException'];

const SecretValue = z.object({ SecretString: z.string() });

/** What reads secrets in AWS Secrets Manager: one a process, its region, credentials and endpoint from the environment unless given. */
export function secretsClient(options: JsonClientOptions): JsonClient {
  return jsonClient(SECRETS_MANAGER, options);
}

/**
 * A secret in AWS Secrets Manager, its current version.
 * @param secretId name or ARN
 */
export function secretInSecretsManager(secretId: string, client: JsonClient): SecretReader {
  // AWS gives it unless another is named; an emulator then gives the first that there was.
  const current = { SecretId: secretId, VersionStage: 'AWSCURRENT' };
  return {
    async read() {
      for (let attempt = 1; ; attempt++) {
        try {
          return SecretValue.parse(await client('GetSecretValue', current)).SecretString;
        } catch (error) {
          if (attempt === MOST_ATTEMPTS || !mayHelp(error)) throw error;
        }
      }
    },
  };
}

/** Whether the same question may be answered when it is asked again at once. */
function mayHelp(error: unknown): boolean {
  return !(error instanceof AwsRefusal) || !error.isOfRequest || THROTTLED.includes(error.code);
}
