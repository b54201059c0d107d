import { describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../lib/credentials/api-key.ts';
import type { AuthDeps } from '../../../lib/credentials/authenticate.ts';
import { authenticate } from '../../../lib/credentials/authenticate.ts';
import { basicHeader } from '../../../lib/credentials/basic.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { withSandboxKey } from '../../../lib/credentials/sandbox.ts';
import { issueFirstPair } from '../../../lib/credentials/token-pair.ts';
import { authenticationWith, companyKey, keyTable } from './world.ts';

const acme = companyKey('acme');
const revoked = companyKey('acme', { state: 'revoked' });
const suspended = companyKey('acme', { state: 'suspended' });
const other = companyKey('other', { scopes: ['delete'] });
const NOBODY = { companyId: undefined, keyId: undefined, familyId: undefined };
const principal = { companyId: 'acme', keyId: acme.keyId, keyVersion: 1, scopes: ['create', 'read'] };

describe('the keys in the table', () => {
  it('prove a company, with the scopes of the key, by one look-up', async () => {
    const { table, reads } = keyTable([acme, revoked, other]);
    expect(await storedKeys(table).verifyApiKey('acme', acme.apiKey)).toEqual(principal);
    expect(reads()).toBe(1);
  });

  it.each([
    ['a key that is not there', 'acme', companyKey('acme').apiKey, 'unknown-key'],
    ['a key of a company that is not there', 'nobody', acme.apiKey, 'unknown-company'],
    ['a revoked key', 'acme', revoked.apiKey, 'revoked'],
    ['a suspended key', 'acme', suspended.apiKey, 'suspended'],
    ['another company’s key', 'acme', other.apiKey, 'unknown-key'],
    ['a key under another company', 'other', acme.apiKey, 'unknown-key'],
  ])('do not prove %s, and say why by two look-ups', async (_, companyId, apiKey, refusal) => {
    const { table, reads } = keyTable([acme, revoked, suspended, other]);
    await expect(storedKeys(table).verifyApiKey(companyId, apiKey)).rejects.toMatchObject({ refusal });
    expect(reads()).toBe(2);
  });

  it('tell nothing of an id that they do not have', async () => {
    const keys = storedKeys(keyTable([acme]).table);
    await expect(keys.verifyApiKey('nobody', acme.apiKey)).rejects.toMatchObject({ ids: NOBODY });
    const unknown = companyKey('acme');
    await expect(keys.verifyApiKey('acme', unknown.apiKey)).rejects.toMatchObject({
      ids: { ...NOBODY, companyId: 'acme' },
    });
  });

  it('do not prove another secret under the id of a key', async () => {
    const stolen = companyKey('acme');
    const { table } = keyTable([{ ...acme, keyId: stolen.keyId }]);
    await expect(storedKeys(table).verifyApiKey('acme', stolen.apiKey)).rejects.toMatchObject({ refusal: 'wrong-key' });
  });

  it.each(['', 'a/b', 'a b', 'ä', 'x'.repeat(65), 'acme\n'])(
    'are not looked up for the company %j',
    async (companyId) => {
      const { table, reads } = keyTable([acme]);
      await expect(storedKeys(table).verifyApiKey(companyId, acme.apiKey)).rejects.toMatchObject({
        refusal: 'malformed',
      });
      expect(reads()).toBe(0);
    },
  );

  it('are not looked up for a mistyped key', async () => {
    const { table, reads } = keyTable([acme]);
    const keys = storedKeys(table);
    for (let at = 0; at < acme.apiKey.length; at++) {
      const letter = acme.apiKey.charAt(at) === 'x' ? 'y' : 'x';
      const mistyped = acme.apiKey.slice(0, at) + letter + acme.apiKey.slice(at + 1);
      await expect(keys.verifyApiKey('acme', mistyped)).rejects.toMatchObject({ refusal: 'malformed' });
    }
    expect(reads()).toBe(0);
  });

  it('prove a company by an API key alone, by two look-ups', async () => {
    const { table, reads } = keyTable([acme, revoked, other]);
    const keys = storedKeys(table);
    expect(await keys.verifyApiKeyAlone(acme.apiKey)).toEqual(principal);
    expect(reads()).toBe(2);
    expect(await keys.verifyApiKeyAlone(other.apiKey)).toMatchObject({ companyId: 'other', scopes: ['delete'] });
  });

  it('prove nobody by a key alone that is revoked, unknown or mistyped', async () => {
    const { table, reads } = keyTable([acme, revoked]);
    const keys = storedKeys(table);
    await expect(keys.verifyApiKeyAlone(revoked.apiKey)).rejects.toMatchObject({ refusal: 'revoked' });
    await expect(keys.verifyApiKeyAlone(companyKey('acme').apiKey)).rejects.toMatchObject({ refusal: 'unknown-key' });
    expect(reads()).toBe(4);
    expect(await keys.verifyApiKeyAlone(`${acme.apiKey.slice(0, -1)}-`)).toBeUndefined();
    expect(await keys.verifyApiKeyAlone('')).toBeUndefined();
    expect(reads()).toBe(4);
  });

  it('prove nobody by another secret under the id of a key, without a company either', async () => {
    const stolen = companyKey('acme');
    const { table } = keyTable([{ ...acme, keyId: stolen.keyId }]);
    await expect(storedKeys(table).verifyApiKeyAlone(stolen.apiKey)).rejects.toMatchObject({ refusal: 'wrong-key' });
  });

  it('are found by id for a token, as long as they are active', async () => {
    const keys = storedKeys(keyTable([acme, revoked, other]).table);
    expect(await keys.findActiveKey('acme', acme.keyId)).toEqual(principal);
    await expect(keys.findActiveKey('acme', revoked.keyId)).rejects.toMatchObject({ refusal: 'revoked' });
    await expect(keys.findActiveKey('other', acme.keyId)).rejects.toMatchObject({ refusal: 'unknown-key' });
  });

  it('fail where a record has another shape: it proves nobody', async () => {
    const { table } = keyTable([{ ...acme, record: { ...acme.record, scopes: ['everything'] } }]);
    await expect(storedKeys(table).verifyApiKey('acme', acme.apiKey)).rejects.toThrow();
  });
});

describe('a fixed key', () => {
  const fixed = { companyId: 'sandbox', apiKey: 'any text of sixteen' };
  const keys = withSandboxKey(fixed, storedKeys(keyTable([acme]).table), keyTable([]).table);

  const keyId = `sandbox-${hashApiKey(fixed.apiKey).slice(0, 12)}`;

  it('has every scope', async () => {
    const sandbox = { companyId: 'sandbox', keyId, scopes: ['create', 'read', 'delete'] };
    expect(await keys.verifyApiKey('sandbox', fixed.apiKey)).toEqual(sandbox);
    expect(await keys.findActiveKey('sandbox', keyId)).toEqual(sandbox);
  });

  it('leaves no token good that another key obtained', async () => {
    const other = withSandboxKey(
      { ...fixed, apiKey: 'another text of sixteen' },
      storedKeys(keyTable([]).table),
      keyTable([]).table,
    );
    const authentication = authenticationWith(keys);
    const { accessToken } = await issueFirstPair(authentication, { companyId: 'sandbox', keyId, scopes: [] });
    expect(await authenticate(`Bearer ${accessToken}`, authentication)).toMatchObject({ keyId });
    await expect(authenticate(`Bearer ${accessToken}`, { ...authentication, keys: other })).rejects.toMatchObject({
      refusal: 'unknown-company',
    });
  });

  it('stands beside the others, and is good for its company alone', async () => {
    expect(await keys.verifyApiKey('acme', acme.apiKey)).toEqual(principal);
    await expect(keys.verifyApiKey('acme', fixed.apiKey)).rejects.toMatchObject({ refusal: 'malformed' });
    await expect(keys.findActiveKey('acme', keyId)).rejects.toMatchObject({ refusal: 'unknown-key' });
    await expect(keys.verifyApiKey('sandbox', 'any other text')).rejects.toMatchObject({ refusal: 'malformed' });
  });

  it('proves its company by itself', async () => {
    expect(await keys.verifyApiKeyAlone(fixed.apiKey)).toEqual({
      companyId: 'sandbox',
      keyId,
      scopes: ['create', 'read', 'delete'],
    });
    expect(await keys.verifyApiKeyAlone(acme.apiKey)).toEqual(principal);
    expect(await keys.verifyApiKeyAlone('any other text')).toBeUndefined();
  });
});

describe('an Authorization header', () => {
  const { table } = keyTable([acme, revoked]);
  const begin = () => authenticationWith(storedKeys(table));
  const tokenOf = async (authentication: AuthDeps, { companyId, keyId }: { companyId: string; keyId: string }) =>
    (await issueFirstPair(authentication, { companyId, keyId, scopes: [] })).accessToken;

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
    const refusals = ['revoked', 'unknown-key', 'malformed', 'malformed', 'malformed'];
    for (const [index, text] of wrong.entries()) {
      const refused = authenticate(`Bearer ${text}`, authentication);
      await expect(refused).rejects.toMatchObject({ refusal: refusals[index] });
    }
  });

  it('proves nobody once the key of its token is revoked', async () => {
    const authentication = begin();
    const token = await tokenOf(authentication, revoked);
    await expect(authenticate(`Bearer ${token}`, authentication)).rejects.toMatchObject({ refusal: 'revoked' });
  });

  it('proves nobody in any other form', async () => {
    const authentication = begin();
    const token = await tokenOf(authentication, acme);
    const wrong = ['', 'Bearer', token, `Token ${token}`, `Bearer ${token} x`, `${basicHeader(acme)}, Bearer ${token}`];
    for (const header of wrong) {
      await expect(authenticate(header, authentication)).rejects.toMatchObject({ refusal: 'malformed' });
    }
  });
});
