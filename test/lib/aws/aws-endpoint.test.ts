import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type AwsServiceName, endpointUrl } from '../../../lib/aws/aws-endpoint.ts';
import { SECRETS_MANAGER } from '../../../lib/aws/secrets-manager.ts';
import { DYNAMODB } from '../../../lib/storage/dynamodb/client.ts';

const FIPS = 'AWS_USE_FIPS_ENDPOINT';
const DUAL_STACK = 'AWS_USE_DUALSTACK_ENDPOINT';

beforeEach(() => {
  for (const name of ['AWS_ENDPOINT_URL', DYNAMODB.setting, SECRETS_MANAGER.setting]) vi.stubEnv(name, undefined);
  return () => vi.unstubAllEnvs();
});

/** A region of each partition. The first three are those of the partitions that many use. */
const REGIONS = ['eu-central-1', 'cn-north-1', 'us-gov-west-1', 'eusc-de-east-1', 'us-iso-east-1', 'us-isob-east-1'];
const REMOTE = ['eu-isoe-west-1', 'us-isof-south-1'];

const { endpointProvider: dynamodb } = new DynamoDBClient({ region: 'eu-central-1' }).config;
const { endpointProvider: secretsManager } = new SecretsManagerClient({ region: 'eu-central-1' }).config;

describe('the endpoint of a service is that of the AWS SDK', () => {
  const urlOf = (service: AwsServiceName, region: string, usesFips: boolean, usesDualStack: boolean) => {
    vi.stubEnv(FIPS, String(usesFips));
    vi.stubEnv(DUAL_STACK, String(usesDualStack));
    return endpointUrl(service, region).href;
  };

  it.each([...REGIONS, ...REMOTE])('in %s', (Region) => {
    for (const UseFIPS of [false, true]) {
      for (const UseDualStack of [false, true]) {
        const expected = dynamodb({ Region, UseFIPS, UseDualStack }).url.href;
        expect(urlOf(DYNAMODB, Region, UseFIPS, UseDualStack)).toBe(expected);
      }
      const expected = secretsManager({ Region, UseFIPS, UseDualStack: false }).url.href;
      expect(urlOf(SECRETS_MANAGER, Region, UseFIPS, false)).toBe(expected);
    }
  });

  it.each(REGIONS.slice(0, 3))('in %s, also of Secrets Manager with IPv6', (Region) => {
    const expected = secretsManager({ Region, UseFIPS: false, UseDualStack: true }).url.href;
    expect(urlOf(SECRETS_MANAGER, Region, false, true)).toBe(expected);
  });
});

it('an endpoint of the operator wins, and excludes FIPS and IPv6', () => {
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:8000');
  expect(endpointUrl(DYNAMODB, 'eu-central-1').href).toBe('http://127.0.0.1:8000/');
  vi.stubEnv(DYNAMODB.setting, 'http://127.0.0.1:9000');
  expect(endpointUrl(DYNAMODB, 'eu-central-1').href).toBe('http://127.0.0.1:9000/');
  for (const name of [FIPS, DUAL_STACK]) {
    vi.stubEnv(name, 'true');
    expect(() => endpointUrl(DYNAMODB, 'eu-central-1')).toThrow(
      `${name}=true has no effect on the endpoint in AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL: unset one`,
    );
    vi.stubEnv(name, undefined);
  }
});

it.each([FIPS, DUAL_STACK])('%s must be true or false', (name) => {
  vi.stubEnv(name, 'yes');
  expect(() => endpointUrl(DYNAMODB, 'eu-central-1')).toThrow(`${name} must be true or false`);
});
