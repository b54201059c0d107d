import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../lib/contract/basic-credentials.ts';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { refusalText } from '../../../lib/contract/gateway-responses.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { type KeyDirectory, storedKeys } from '../../../lib/credentials/key-directory.ts';
import { issueFirstPair } from '../../../lib/credentials/token-pair.ts';
import { type AuthorizerResult, authorizer } from '../../../lib/http/authorizer.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { TestClock } from '../../support/world.ts';
import { authenticationWith, companyKey, keyTable } from '../credentials/world.ts';
import { openSqlite } from '../storage/folder.ts';
import { NOW_MS } from '../support.ts';
import { keptLog } from './fixture.ts';

const ARN = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/DELETE/segments/projects/custom/a/b/*';
const key = companyKey('acme');
const revoked = companyKey('acme', { state: 'revoked' });
const suspended = companyKey('acme', { state: 'suspended' });

const ADDRESS = '203.0.113.7';

function eventOf(headers: Record<string, string> | null, sourceIp = ADDRESS) {
  const requestContext = { requestId: 'chosen by the client', extendedRequestId: 'request-1', identity: { sourceIp } };
  return { type: 'REQUEST', methodArn: ARN, headers, requestContext };
}

const recordUse = async () => {};

/** Makes an authorizer whose every call is the same invocation. */
function authorizerHere(...args: Parameters<typeof authorizer>) {
  const handler = authorizer(...args);
  return (event: unknown) => handler(event, { awsRequestId: 'invocation-1' });
}

function authorizerOf(keys: KeyDirectory = storedKeys(keyTable([key]).table)) {
  const { lines, options } = keptLog();
  return { authorize: authorizerHere(authenticationWith(keys), { recordUse, log: options.log }), lines };
}

/** What the authorizer returns for refused credentials. API Gateway inserts the reason into JSON. */
function denied(refusal: Refusal): AuthorizerResult {
  const reason = refusalText(refusal);
  expect(JSON.stringify(reason)).toBe(`"${reason}"`);
  const Resource = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/*';
  return {
    principalId: 'refused',
    policyDocument: { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: 'execute-api:Invoke', Resource }] },
    context: { reason },
  };
}

describe('the authorizer', () => {
  it.each(['Authorization', 'authorization', 'AUTHORIZATION'])(
    'accepts a company with %s, for every route of the stage',
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
        // SHA-256 of `segue/abc123/acme`, so that two APIs of an account have different keys.
        usageIdentifierKey: '3425ac9e7b40f39480474a68fc1000880bf52e2b18e8a802c364e7e8102ed65a',
        context: { companyId: 'acme', keyId: key.keyId, keyVersion: '1', scopes: 'create read' },
      });
      expect(lines).toEqual([]);
    },
  );

  it.each<[string, string | undefined, Partial<LogLine>]>([
    ['no headers', undefined, { refusal: 'missing' }],
    ['no credentials', '', { refusal: 'missing' }],
    ['another scheme', 'Digest x', { refusal: 'malformed' }],
    ['a key cut short', `Bearer ${key.apiKey.slice(0, -1)}`, { refusal: 'malformed-key' }],
    [
      'a key of no company',
      basicHeader({ ...companyKey('acme'), companyId: 'CANARY' }),
      { refusal: 'unknown-company', companyId: undefined },
    ],
    ['a key that is not there', basicHeader(companyKey('acme')), { refusal: 'unknown-key', companyId: 'acme' }],
    ['a revoked key', basicHeader(revoked), { refusal: 'revoked', companyId: 'acme', keyId: revoked.keyId }],
    ['a forged token', 'Bearer a.b.c', { refusal: 'wrong-token' }],
  ])('logs why it refuses %s, and a hash of the sender', async (_, header, fields) => {
    const { authorize, lines } = authorizerOf(storedKeys(keyTable([key, revoked, suspended]).table));
    const result = await authorize(eventOf(header === undefined ? null : { Authorization: header }));
    expect(result).toStrictEqual(denied(fields.refusal ?? 'wrong-key'));
    const senderHash = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect(lines).toMatchObject([{ operation: 'authorizer', requestId: 'request-1', senderHash, ...fields }]);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`CANARY|seg_|${ADDRESS}`));
  });

  it('lets a suspended company through without scopes, so that the operations refuse it', async () => {
    const { authorize, lines } = authorizerOf(storedKeys(keyTable([suspended]).table));
    const { companyId, keyId } = suspended;
    expect(await authorize(eventOf({ Authorization: `Bearer ${suspended.apiKey}` }))).toMatchObject({
      principalId: 'acme',
      policyDocument: { Statement: [{ Effect: 'Allow' }] },
      context: { companyId, keyId, scopes: '', isSuspended: 'true' },
    });
    expect(lines).toMatchObject([{ refusal: 'suspended', companyId, keyId }]);
  });

  it('records the use of the key, and none of refused credentials', async () => {
    const used: string[] = [];
    const options = { recordUse: async (keyId: string) => void used.push(keyId), log: () => {} };
    const authorize = authorizerHere(authenticationWith(storedKeys(keyTable([key, revoked]).table)), options);
    await authorize(eventOf({ Authorization: basicHeader(key) }));
    expect(await authorize(eventOf({ Authorization: basicHeader(revoked) }))).toStrictEqual(denied('wrong-key'));
    expect(used).toEqual([key.keyId]);
  });

  it('judges a key by the address of its sender', async () => {
    const office = companyKey('acme', { networks: [ADDRESS] });
    const { authorize, lines } = authorizerOf(storedKeys(keyTable([office]).table));
    const headers = { Authorization: basicHeader(office) };
    expect(await authorize(eventOf(headers))).toMatchObject({ principalId: 'acme' });
    expect(await authorize(eventOf(headers, '203.0.113.8'))).toStrictEqual(denied('wrong-key'));
    expect(lines).toMatchObject([{ refusal: 'other-network', keyId: office.keyId }]);
  });

  it('logs an expired token with the sign-in that issued it', async () => {
    const store = openSqlite(() => NOW_MS);
    const clock = new TestClock();
    const authentication = authenticationWith(storedKeys(keyTable([key]).table), { store, now: clock.now });
    const { accessToken, subject } = await issueFirstPair(authentication, { ...key, scopes: [] });
    clock.nowMs += 3_600_000;
    const { lines, options } = keptLog();
    const authorize = authorizerHere(authentication, { recordUse, log: options.log });
    expect(await authorize(eventOf({ Authorization: `Bearer ${accessToken}` }))).toStrictEqual(denied('wrong-key'));
    const { companyId, keyId, familyId } = subject;
    expect(lines).toMatchObject([{ refusal: 'expired-token', companyId, keyId, familyId }]);
  });

  it('refuses without the hash while the signing keys cannot be read', async () => {
    const signingKeys = () => Promise.reject(new Problem('unavailable', { detail: 'Not now.' }));
    const { lines, options } = keptLog();
    const keys = storedKeys(keyTable([revoked]).table);
    const authorize = authorizerHere(authenticationWith(keys, { signingKeys }), { recordUse, log: options.log });
    expect(await authorize(eventOf({ Authorization: basicHeader(revoked) }))).toStrictEqual(denied('wrong-key'));
    expect(lines).toMatchObject([{ refusal: 'revoked', senderHash: undefined }]);
  });

  it('does not report a failing store as wrong credentials, and logs no credentials', async () => {
    const cause = new Error(`CANARY ${key.apiKey}`);
    const failure = new Problem('unavailable', { detail: 'Not now.' }, { cause });
    const fails = () => Promise.reject(failure);
    const keys = {
      verifyApiKey: fails,
      verifyApiKeyAlone: fails,
      findActiveKey: fails,
      guardKey: fails,
      guardCompany: fails,
    };
    const { authorize, lines } = authorizerOf(keys);
    await expect(authorize(eventOf({ Authorization: basicHeader(key) }))).rejects.toThrow('Not now.');
    expect(lines).toMatchObject([
      { operation: 'authorizer', requestId: 'request-1', problem: 'unavailable', cause: { name: 'Error' } },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`CANARY|seg_|${basicHeader(key).slice(6, 20)}`));
  });

  it('refuses an invalid event, and logs it', async () => {
    const { authorize, lines } = authorizerOf();
    for (const event of [undefined, {}, { ...eventOf({}), headers: { Authorization: 5 } }]) {
      await expect(authorize(event)).rejects.toThrow();
      expect(lines.pop()).toMatchObject({
        operation: 'authorizer',
        requestId: 'invocation-1',
        problem: 'internal-error',
      });
    }
  });
});
