import * as z from 'zod/mini';
import { AwsRefusal, type JsonClientOptions, type JsonService, jsonClient } from './json-client.ts';

/** Secrets Manager, as a service of AWS. */
export const SECRETS_MANAGER: JsonService = {
  host: 'secretsmanager',
  setting: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  isDualStack: true,
  protocol: '1.1',
  target: 'secretsmanager',
  answerMs: 3_000,
};

/** The maximum number of attempts to read a secret. Two fit into the time limit of a request. */
const MAX_ATTEMPTS = 2;

const THROTTLED: readonly string[] = ['ThrottlingException', 'TooManyRequestsException', 'LimitExceededException'];

const SecretValue = z.object({ SecretString: z.string() });

/**
 * Creates a function that reads the current version of a secret by its name or ARN. Create one function per process and
 * share it. It does not load the AWS SDK, so that Lambda functions start fast.
 */
export function secretsManagerReader(options: JsonClientOptions): (secretId: string) => Promise<string> {
  const client = jsonClient(SECRETS_MANAGER, options);
  return async (secretId) => {
    // AWSCURRENT is the default of AWS, but not of every emulator.
    const request = { SecretId: secretId, VersionStage: 'AWSCURRENT' };
    for (let attempt = 1; ; attempt++) {
      try {
        return SecretValue.parse(await client('GetSecretValue', request)).SecretString;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  };
}

function isRetryable(error: unknown): boolean {
  return !(error instanceof AwsRefusal) || !error.isOfRequest || THROTTLED.includes(error.code);
}
