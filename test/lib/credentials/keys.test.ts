import { describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../lib/credentials/api-key.ts';
import { authenticate } from '../../../lib/credentials/authenticate.ts';
import type { Authentication } from '../../../lib/credentials/authentication.ts';
import { basicHeader } from '../../../lib/credentials/basic.ts';
import { keysInTable, withFixedKey } from '../../../lib/credentials/keys.ts';
import { beginFamily } from '../../../lib/credentials/token-families.ts';
import { authenticationWith, companyKey, keyTable } from './fixture.ts';

const acme = companyKey('acme');
const revoked = companyKey('acme', { state: 'revoked' });
const other = companyKey('other', { scopes: ['delete'] });
const principal = { companyId: 'acme', keyId: acme.keyId, keyVersion: 1, scopes: ['create', 'read'] };

describe('the keys in the table', () => {
  it('prove a company, with the scopes of the key, by one look-up', async () => {
    const { table, reads } = keyTable([acme, revoked, other]);
    expect(await keysInTable(table).byApiKey('acme', acme.apiKey)).toEqual(principal);
    expect(reads()).toBe(1);
  });

  it.each([
    ['a key that is not there', 'acme', companyKey('acme').apiKey],
    ['a revoked key', 'acme', revoked.apiKey],
    ['another company’s key', 'acme', other.apiKey],
    ['a key under another company', 'other', acme.apiKey],
  ])('do not prove %s', async (_, companyId, apiKey) => {
    const { table, reads } = keyTable([acme, revoked, other]);
    expect(await keysInTable(table).byApiKey(companyId, apiKey)).toBeUndefined();
    expect(reads()).toBe(1);
  });

  it('do not prove another secret under the id of a key', async () => {
    const stolen = companyKey('acme');
    const { table } = keyTable([{ ...acme, keyId: stolen.keyId }]);
    expect(await keysInTable(table).byApiKey('acme', stolen.apiKey)).toBeUndefined();
  });

  it.each(['', 'a/b', 'a b', 'ä', 'x'.repeat(65), 'acme\n'])(
    'are not looked up for the company %j',
    async (companyId) => {
      const { table, reads } = keyTable([acme]);
      expect(await keysInTable(table).byApiKey(companyId, acme.apiKey)).toBeUndefined();
      expect(reads()).toBe(0);
    },
  );

  it('are not looked up for a mistyped key', async () => {
    const { table, reads } = keyTable([acme]);
    const keys = keysInTable(table);
    for (let at = 0; at < acme.apiKey.length; at++) {
      const letter = acme.apiKey.charAt(at) === 'x' ? 'y' : 'x';
      expect(
        await keys.byApiKey('acme', acme.apiKey.slice(0, at) + letter + acme.apiKey.slice(at + 1)),
      ).toBeUndefined();
    }
    expect(reads()).toBe(0);
  });

  it('prove a company by an API key alone, by two look-ups', async () => {
    const { table, reads } = keyTable([acme, revoked, other]);
    const keys = keysInTable(table);
    expect(await keys.byApiKeyAlone(acme.apiKey)).toEqual(principal);
    expect(reads()).toBe(2);
    expect(await keys.byApiKeyAlone(other.apiKey)).toMatchObject({ companyId: 'other', scopes: ['delete'] });
  });

  it('prove nobody by a key alone that is revoked, unknown or mistyped', async () => {
    const { table, reads } = keyTable([acme, revoked]);
    const keys = keysInTable(table);
    expect(await keys.byApiKeyAlone(revoked.apiKey)).toBeUndefined();
    expect(await keys.byApiKeyAlone(companyKey('acme').apiKey)).toBeUndefined();
    expect(reads()).toBe(3);
    expect(await keys.byApiKeyAlone(`${acme.apiKey.slice(0, -1)}-`)).toBeUndefined();
    expect(await keys.byApiKeyAlone('')).toBeUndefined();
    expect(reads()).toBe(3);
  });

  it('prove nobody by another secret under the id of a key, without a company either', async () => {
    const stolen = companyKey('acme');
    const { table } = keyTable([{ ...acme, keyId: stolen.keyId }]);
    expect(await keysInTable(table).byApiKeyAlone(stolen.apiKey)).toBeUndefined();
  });

  it('are found by id for a token, as long as they are active', async () => {
    const keys = keysInTable(keyTable([acme, revoked, other]).table);
    expect(await keys.byKeyId('acme', acme.keyId)).toEqual(principal);
    expect(await keys.byKeyId('acme', revoked.keyId)).toBeUndefined();
    expect(await keys.byKeyId('other', acme.keyId)).toBeUndefined();
  });

  it('fail where a record has another shape: it proves nobody', async () => {
    const { table } = keyTable([{ ...acme, record: { ...acme.record, scopes: ['everything'] } }]);
    await expect(keysInTable(table).byApiKey('acme', acme.apiKey)).rejects.toThrow();
  });
});

describe('a fixed key', () => {
  const fixed = { companyId: 'sandbox', apiKey: 'any text of sixteen' };
  const keys = withFixedKey(fixed, keysInTable(keyTable([acme]).table));

  const keyId = `sandbox-${hashApiKey(fixed.apiKey).slice(0, 12)}`;

  it('has every scope', async () => {
    const sandbox = { companyId: 'sandbox', keyId, scopes: ['create', 'read', 'delete'] };
    expect(await keys.byApiKey('sandbox', fixed.apiKey)).toEqual(sandbox);
    expect(await keys.byKeyId('sandbox', keyId)).toEqual(sandbox);
  });

  it('leaves no token good that another key obtained', async () => {
    const other = withFixedKey({ ...fixed, apiKey: 'another text of sixteen' }, keysInTable(keyTable([]).table));
    const authentication = authenticationWith(keys);
    const { accessToken } = await beginFamily(authentication, { companyId: 'sandbox', keyId, scopes: [] });
    expect(await authenticate(`Bearer ${accessToken}`, authentication)).toMatchObject({ keyId });
    expect(await authenticate(`Bearer ${accessToken}`, { ...authentication, keys: other })).toBeUndefined();
  });

  it('stands beside the others, and is good for its company alone', async () => {
    expect(await keys.byApiKey('acme', acme.apiKey)).toEqual(principal);
    expect(await keys.byApiKey('acme', fixed.apiKey)).toBeUndefined();
    expect(await keys.byKeyId('acme', keyId)).toBeUndefined();
    expect(await keys.byApiKey('sandbox', 'any other text')).toBeUndefined();
  });

  it('proves its company by itself', async () => {
    expect(await keys.byApiKeyAlone(fixed.apiKey)).toEqual({
      companyId: 'sandbox',
      keyId,
      scopes: ['create', 'read', 'delete'],
    });
    expect(await keys.byApiKeyAlone(acme.apiKey)).toEqual(principal);
    expect(await keys.byApiKeyAlone('any other text')).toBeUndefined();
  });
});

describe('an Authorization header', () => {
  const { table } = keyTable([acme, revoked]);
  const begin = () => authenticationWith(keysInTable(table));
  const tokenOf = async (authentication: Authentication, { companyId, keyId }: { companyId: string; keyId: string }) =>
    (await beginFamily(authentication, { companyId, keyId, scopes: [] })).accessToken;

  it('proves a company by Basic credentials or by a token', async () => {
    const authentication = begin();
    expect(await authenticate(basicHeader(acme), authentication)).toEqual(principal);
    const token = await tokenOf(authentication, acme);
    for (const header of [`Bearer ${token}`, `bearer   ${token} `]) {
      expect(await authenticate(header, authentication)).toEqual(principal);
    }
  });

  it('proves a company by an API key alone, without the signing keys', async () => {
    const signingKeys = () => Promise.reject(new Error('The signing keys are not needed'));
    const authentication = { ...begin(), signingKeys };
    for (const header of [`Bearer ${acme.apiKey}`, `bearer   ${acme.apiKey} `]) {
      expect(await authenticate(header, authentication)).toEqual(principal);
    }
  });

  it('proves nobody by a wrong API key alone', async () => {
    const authentication = begin();
    const wrong = [revoked.apiKey, companyKey('acme').apiKey, `${acme.apiKey}=`, acme.apiKey.slice(1), acme.keyId];
    for (const text of wrong) expect(await authenticate(`Bearer ${text}`, authentication)).toBeUndefined();
  });

  it('proves nobody once the key of its token is revoked', async () => {
    const authentication = begin();
    expect(await authenticate(`Bearer ${await tokenOf(authentication, revoked)}`, authentication)).toBeUndefined();
  });

  it('proves nobody in any other form', async () => {
    const authentication = begin();
    const token = await tokenOf(authentication, acme);
    const wrong = ['', 'Bearer', token, `Token ${token}`, `Bearer ${token} x`, `${basicHeader(acme)}, Bearer ${token}`];
    for (const header of wrong) expect(await authenticate(header, authentication)).toBeUndefined();
  });
});
