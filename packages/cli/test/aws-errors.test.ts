import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AwsRefusal, NeverSent } from '../../../lib/aws/json-client.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { playService } from '../../../test/lib/upstream/server.ts';
import { segueIn } from '../../../test/support/segue.ts';
import { explainAwsError } from '../aws-errors.ts';
import { CliError } from '../io.ts';

/** Creates an error as the AWS SDK throws it. */
const sdkError = (name: string, message = 'CANARY', fields: object = { $metadata: { httpStatusCode: 400 } }) =>
  Object.assign(new Error(message), { name, ...fields });
const unanswered = (code: string) => sdkError('Error', 'CANARY', { $metadata: { attempts: 1 }, code });
const refusal = (__type: string, message = 'CANARY', status = 400) => new AwsRefusal(status, { __type, message });
const DENIED = 'User: CANARY is not authorized to perform: cloudformation:DescribeStacks on resource: CANARY';

describe('the cause of an AWS error', () => {
  it.each<[what: string, error: Error, message: RegExp]>([
    ['an expired token', sdkError('ExpiredToken'), /have expired: sign in again/],
    ['an expired session', sdkError('CredentialsProviderError', 'The SSO session has expired'), /have expired/],
    ['a session to refresh', sdkError('TokenProviderError', "run 'aws sso login'"), /have expired/],
    ['no credentials', sdkError('CredentialsProviderError'), /no AWS credentials were found: set AWS_PROFILE/],
    ['no region', new Error('Region is missing'), /no AWS region is set: set AWS_REGION/],
    ['an unknown key', sdkError('UnrecognizedClientException'), /does not know these credentials/],
    ['a wrong clock', sdkError('SignatureDoesNotMatch'), /the clock of this machine, is wrong/],
    ['a denied action', sdkError('AccessDenied', DENIED), /permission cloudformation:DescribeStacks: ask the admin/],
    ['a denied action of the store', refusal('AccessDeniedException', DENIED), /permission cloudformation:Desc/],
    ['a denial without a body', sdkError('Unknown', '', { $metadata: { httpStatusCode: 403 } }), /permission: check/],
    ['throttling', sdkError('ThrottlingException'), /limits the rate.*try again/],
    ['a removed table', refusal('ns#ResourceNotFoundException'), /a part of the stack does not exist/],
    ['a region that does not exist', unanswered('ENOTFOUND'), /cannot be reached \(ENOTFOUND\): check AWS_REGION/],
    ['a fault of AWS', refusal('InternalServerError', 'CANARY', 500), /AWS failed to answer: try again/],
    ['a call that was never sent', new NeverSent(sdkError('CredentialsProviderError')), /no AWS credentials/],
    [
      'a failure of the store',
      new Problem('unavailable', { detail: 'D.' }, { cause: refusal('ThrottlingException') }),
      /limits the rate/,
    ],
  ])('is told for %s, without the message of AWS', (_, error, message) => {
    const explained = explainAwsError(error);
    expect(explained).toMatchObject({ name: 'CliError', message: expect.stringMatching(message) });
    expect(String(explained)).not.toContain('CANARY');
  });

  it.each([
    ['an error of another kind', new Error('x', { cause: new TypeError('y') })],
    ['a refusal of the command', new CliError('the file cannot be read')],
    ['an unknown outcome', new Problem('outcome-unknown', { detail: 'D.' }, { cause: unanswered('ETIMEDOUT') })],
    ['an upstream service that is away', new Problem('unavailable', { detail: 'D.' })],
    ['a refusal with a name of its own', refusal('ConditionalCheckFailedException')],
  ])('leaves %s as it is', (_, error) => {
    expect(explainAwsError(error)).toBe(error);
  });
});

it.each([
  [400, 'ValidationError', 'Stack with id Segue does not exist', /^segue: the region eu-west-1 has no stack with this/],
  [403, 'ExpiredToken', 'CANARY', /^segue: the AWS credentials have expired/],
  [403, 'AccessDenied', DENIED, /^segue: .* permission cloudformation:DescribeStacks: /],
] as const)('a command with --stack explains the answer %i %s', async (status, code, message, line) => {
  const { url } = await playService((_, response) => {
    response
      .writeHead(status, { 'content-type': 'text/xml' })
      .end(
        `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
      );
  });
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'nobody');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'none');
  const { code: exitCode, stdout, stderr } = await segueIn('nowhere', {}, '--stack', 'Segue', 'company', 'list');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(line);
  expect(stderr).not.toContain('CANARY');
});
