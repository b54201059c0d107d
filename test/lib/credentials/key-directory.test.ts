import { describe, expect, it } from 'vitest';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { companyKey, keyTable, USE } from './world.ts';

const acme = companyKey('acme');
const revoked = companyKey('acme', { state: 'revoked' });
const suspended = companyKey('acme', { state: 'suspended' });
const other = companyKey('other', { scopes: ['delete'] });
const stolen = companyKey('acme');
const principal = { companyId: 'acme', keyId: acme.keyId, keyVersion: 1, scopes: ['create', 'read'] };

/** Returns a directory of all these keys. One of them has another key's hash. */
function world() {
  const { table, reads } = keyTable([acme, revoked, suspended, other, { ...stolen, record: acme.record }]);
  return { keys: storedKeys(table), reads };
}

describe('verifyApiKey', () => {
  it('returns the company and scopes of a key after one read', async () => {
    const { keys, reads } = world();
    expect(await keys.verifyApiKey('acme', acme.apiKey, USE)).toEqual(principal);
    expect(reads()).toBe(1);
  });

  it.each([
    ['a missing key', 'acme', companyKey('acme').apiKey, 'unknown-key', { companyId: 'acme' }],
    ['a missing company', 'nobody', acme.apiKey, 'unknown-company', {}],
    ['a revoked key', 'acme', revoked.apiKey, 'revoked', { companyId: 'acme', keyId: revoked.keyId }],
    ['a suspended key', 'acme', suspended.apiKey, 'suspended', { companyId: 'acme', keyId: suspended.keyId }],
    ['another company’s key', 'acme', other.apiKey, 'unknown-key', { companyId: 'acme' }],
    ['a key under another company', 'other', acme.apiKey, 'unknown-key', { companyId: 'other' }],
    ['a wrong secret', 'acme', stolen.apiKey, 'wrong-key', { companyId: 'acme', keyId: stolen.keyId }],
  ])('refuses %s after two reads, and names only ids that exist', async (_, companyId, apiKey, refusal, ids) => {
    const { keys, reads } = world();
    const none = { companyId: undefined, keyId: undefined, familyId: undefined };
    await expect(keys.verifyApiKey(companyId, apiKey, USE)).rejects.toMatchObject({
      refusal,
      ids: { ...none, ...ids },
    });
    expect(reads()).toBe(2);
  });

  it.each([
    ...['', 'a/b', 'a b', 'ä', 'x'.repeat(65), 'acme\n'].map((companyId) => [companyId, acme.apiKey]),
    ['acme', `${acme.apiKey.slice(0, -1)}-`],
  ])('refuses company %j with key %s without a read', async (companyId, apiKey) => {
    const { keys, reads } = world();
    await expect(keys.verifyApiKey(companyId, apiKey, USE)).rejects.toMatchObject({ refusal: 'malformed-key' });
    expect(reads()).toBe(0);
  });
});

describe('verifyApiKeyAlone', () => {
  it('returns the company and scopes of a key after one read', async () => {
    const { keys, reads } = world();
    expect(await keys.verifyApiKeyAlone(acme.apiKey, USE)).toEqual(principal);
    expect(reads()).toBe(1);
    expect(await keys.verifyApiKeyAlone(other.apiKey, USE)).toMatchObject({ companyId: 'other', scopes: ['delete'] });
  });

  it.each([
    [revoked.apiKey, 'revoked', 2],
    [companyKey('acme').apiKey, 'unknown-key', 1],
    [stolen.apiKey, 'wrong-key', 2],
  ])('refuses %s: %s', async (apiKey, refusal, count) => {
    const { keys, reads } = world();
    await expect(keys.verifyApiKeyAlone(apiKey, USE)).rejects.toMatchObject({ refusal });
    expect(reads()).toBe(count);
  });

  it.each(['', `${acme.apiKey.slice(0, -1)}-`])('returns undefined for %j without a read', async (text) => {
    const { keys, reads } = world();
    expect(await keys.verifyApiKeyAlone(text, USE)).toBeUndefined();
    expect(reads()).toBe(0);
  });
});

it('findActiveKey finds an active key of the company', async () => {
  const { keys } = world();
  expect(await keys.findActiveKey('acme', acme.keyId, USE)).toEqual(principal);
  await expect(keys.findActiveKey('acme', revoked.keyId, USE)).rejects.toMatchObject({ refusal: 'revoked' });
  await expect(keys.findActiveKey('other', acme.keyId, USE)).rejects.toMatchObject({ refusal: 'unknown-key' });
});

it('guardKey returns a check of the key’s version, and says that nothing was done if it is not active', async () => {
  const { keys } = world();
  expect(await keys.guardKey(acme, 'request', USE)).toMatchObject({ kind: 'check', version: 1 });
  const message = 'The API key is no longer active. Segue did nothing.';
  await expect(keys.guardKey(revoked, 'request', USE)).rejects.toMatchObject({ refusal: 'revoked', message });
});
