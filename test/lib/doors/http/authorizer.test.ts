import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../lib/contract/problem.ts';
import { basicHeader } from '../../../../lib/credentials/basic.ts';
import { type KeyDirectory, keysInTable } from '../../../../lib/credentials/keys.ts';
import { authorizer } from '../../../../lib/doors/http/authorizer.ts';
import { authenticationWith, companyKey, keyTable } from '../../credentials/fixture.ts';
import { keptLog } from './fixture.ts';

const ARN = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/DELETE/segments/projects/custom/a/b/*';
const key = companyKey('acme');

function eventOf(headers: Record<string, string> | null, methodArn = ARN) {
  return { type: 'REQUEST', methodArn, headers, requestContext: { requestId: 'request-1' } };
}

function authorizerOf(keys: KeyDirectory = keysInTable(keyTable([key]).table)) {
  const { lines, options } = keptLog();
  return { authorize: authorizer(authenticationWith(keys), options.log), lines };
}

describe('the authorizer', () => {
  it.each(['Authorization', 'authorization', 'AUTHORIZATION'])(
    'lets a company in by %s, to every route of the stage',
    async (name) => {
      const { authorize, lines } = authorizerOf();
      expect(await authorize(eventOf({ Host: 'x', [name]: basicHeader(key) }))).toStrictEqual({
        principalId: 'acme',
        policyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: 'execute-api:Invoke',
              Resource: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/*',
            },
          ],
        },
        // SHA-256 of `segue/abc123/acme`: two APIs of an account share no key
        usageIdentifierKey: '3425ac9e7b40f39480474a68fc1000880bf52e2b18e8a802c364e7e8102ed65a',
        context: { companyId: 'acme', keyId: key.keyId, keyVersion: '1', scopes: 'create read' },
      });
      expect(lines).toEqual([]);
    },
  );

  it.each<[string, Record<string, string> | null]>([
    ['no headers', null],
    ['no credentials', {}],
    ['empty credentials', { Authorization: '' }],
    ['another key', { Authorization: basicHeader(companyKey('acme')) }],
    ['another company', { Authorization: basicHeader({ ...key, companyId: 'other' }) }],
    ['a token of nobody', { Authorization: 'Bearer a.b.c' }],
    ['credentials in another header', { 'X-Authorization': basicHeader(key) }],
  ])('answers %s with the one message that becomes a 401', async (_, headers) => {
    const { authorize } = authorizerOf();
    const error: unknown = await authorize(eventOf(headers)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(error).toHaveProperty('message', 'Unauthorized');
  });

  it('does not take a store that fails for wrong credentials, and logs no credentials', async () => {
    const cause = new Error(`CANARY ${key.apiKey}`);
    const failure = new Problem('unavailable', { detail: 'Not now.' }, { cause });
    const fails = () => Promise.reject(failure);
    const keys = { byApiKey: fails, byApiKeyAlone: fails, byKeyId: fails, guard: fails };
    const { authorize, lines } = authorizerOf(keys);
    await expect(authorize(eventOf({ Authorization: basicHeader(key) }))).rejects.toThrow('Not now.');
    expect(lines).toMatchObject([
      { operation: 'authorizer', requestId: 'request-1', problem: 'unavailable', cause: { name: 'Error' } },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`CANARY|seg_|${basicHeader(key).slice(6, 20)}`));
  });

  it('lets nobody in by an event that is none, and tells of it', async () => {
    const { authorize, lines } = authorizerOf();
    for (const event of [undefined, {}, { ...eventOf({}), headers: { Authorization: 5 } }]) {
      await expect(authorize(event)).rejects.toThrow();
      expect(lines.pop()).toMatchObject({ operation: 'authorizer', requestId: 'none', problem: 'internal-error' });
    }
  });
});
