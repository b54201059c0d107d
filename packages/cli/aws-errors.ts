import { AwsRefusal, deniedAction, NeverSent, NoAwsAnswer } from '../../lib/aws/json-client.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { CliError, errorCode } from './io.ts';

const EXPIRED = 'the AWS credentials have expired: sign in again, such as with aws sso login';
const NO_REGION = 'no AWS region is set: set AWS_REGION to the region of the stack';
const DENIED = 'the AWS credentials do not have the permission';

/** What the errors of AWS mean for the user, by their names. Services have different names for the same error. */
const CAUSES: readonly { readonly names: readonly string[]; readonly message: string }[] = [
  { names: ['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'TokenProviderError'], message: EXPIRED },
  {
    names: ['CredentialsProviderError'],
    message: 'no AWS credentials were found: set AWS_PROFILE, or sign in, such as with aws configure sso',
  },
  {
    names: ['InvalidClientTokenId', 'UnrecognizedClientException', 'InvalidAccessKeyId', 'AuthFailure'],
    message: 'AWS does not know these credentials: check AWS_PROFILE, and that the access key is active',
  },
  {
    names: ['SignatureDoesNotMatch', 'InvalidSignatureException', 'RequestTimeTooSkewed'],
    message: 'AWS refuses the signature: the secret access key, or the clock of this machine, is wrong',
  },
  {
    names: ['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation', 'KMSAccessDeniedException', 'Forbidden'],
    message: DENIED,
  },
  {
    names: [
      'Throttling',
      'ThrottlingException',
      'ThrottledException',
      'TooManyRequestsException',
      'RequestLimitExceeded',
      'ProvisionedThroughputExceededException',
      'SlowDown',
    ],
    message: 'AWS limits the rate of requests of this account now: try again in a minute',
  },
  {
    names: ['ResourceNotFoundException', 'NotFoundException', 'NoSuchBucket', 'StateMachineDoesNotExist'],
    message: 'a part of the stack does not exist: somebody has removed it, or the stack is being deleted',
  },
];

/**
 * Returns the error of a command on a stack with the real cause, if AWS is the cause. AWS's own messages are not shown,
 * because they name accounts and roles.
 * @returns the error itself if AWS is not its cause, or if the outcome of the command is unknown
 */
export function explainAwsError(error: unknown): unknown {
  if (error instanceof Problem && error.name !== 'unavailable') return error;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const message = messageOf(cause);
    if (message !== undefined) return new CliError(message, { exitCode: message === NO_REGION ? 2 : 1, cause: error });
  }
  return error;
}

function messageOf(error: Error): string | undefined {
  if (error instanceof CliError || error instanceof NeverSent) return undefined;
  if (error.message === 'Region is missing') return NO_REGION;
  if (/\b(?:expired|aws sso login)\b/i.test(error.message) && isOfCredentials(error)) return EXPIRED;
  const name = error instanceof AwsRefusal ? error.code : error.name;
  const message = CAUSES.find(({ names }) => names.includes(name))?.message ?? messageOfStatus(error);
  return message === DENIED ? `${message}${actionOf(error)}` : message;
}

function isOfCredentials({ name }: Error): boolean {
  return name === 'CredentialsProviderError' || name === 'TokenProviderError';
}

/** Returns the meaning of an AWS error whose name tells nothing, such as one of an answer without a body. */
function messageOfStatus(error: Error): string | undefined {
  if (error instanceof NoAwsAnswer) return noAnswer(error.code);
  if (error instanceof AwsRefusal) return error.isOfRequest ? undefined : AWS_FAILED;
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const status = 'httpStatusCode' in metadata ? Number(metadata.httpStatusCode) : undefined;
  if (status === undefined) return noAnswer(errorCode(error), hostOf(error));
  if (status === 403) return DENIED;
  return status >= 500 ? AWS_FAILED : undefined;
}

const AWS_FAILED = 'AWS failed to answer: try again in a minute';

function noAnswer(code: string, host?: string): string {
  const at = host === undefined ? '' : ` at ${host}`;
  return `AWS cannot be reached${at} (${code}): check AWS_REGION, and the network of this machine`;
}

/** Returns the host, with the region in its name, that an error of Node's network names. */
function hostOf(error: Error): string | undefined {
  return 'hostname' in error && typeof error.hostname === 'string' ? error.hostname : undefined;
}

/** Returns a phrase with the denied action, such as ` dynamodb:Query`; empty if AWS does not name it. */
function actionOf(error: Error): string {
  const action = error instanceof AwsRefusal ? error.action : deniedAction(error.message);
  return action === undefined ? ': check AWS_PROFILE' : ` ${action}: ask the administrator of the account for it`;
}
