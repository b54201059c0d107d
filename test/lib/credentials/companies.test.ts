import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { type Companies, type Company, companiesIn } from '../../../lib/credentials/companies.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import type { SqliteStorage } from '../../../lib/storage/sqlite/storage.ts';
import { openSqlite } from '../storage/folder.ts';
import { heldNow, NOW_MS } from '../support.ts';

const NOW_UTC = new Date(NOW_MS).toISOString();

function world(): { store: SqliteStorage; companies: Companies; list: () => Promise<Company[]> } {
  const store = openSqlite(heldNow);
  const companies = companiesIn(store, () => NOW_MS);
  return { store, companies, list: () => Array.fromAsync(companies.list()) };
}

describe('the companies', () => {
  it('get a key that works at once, with the scopes that it was given or all', async () => {
    const { store, companies } = world();
    const keys = storedKeys(store);
    const [one, other] = [createApiKey(), createApiKey()];
    await companies.add('acme', one, ['create', 'read']);
    await companies.add('other', other);
    expect(await keys.verifyApiKey('acme', one.apiKey)).toMatchObject({ keyId: one.keyId, scopes: ['create', 'read'] });
    expect(await keys.verifyApiKey('other', other.apiKey)).toMatchObject({ scopes: ['create', 'read', 'delete'] });
    await expect(keys.verifyApiKey('other', one.apiKey)).rejects.toMatchObject({ refusal: 'unknown-key' });
  });

  it('get a second key without a gap, with the scopes of the first, and never a third', async () => {
    const { store, companies } = world();
    const keys = storedKeys(store);
    const [first, second, third] = [createApiKey(), createApiKey(), createApiKey()];
    await companies.add('acme', first, ['delete']);
    await companies.rotate('acme', second);
    for (const { apiKey } of [first, second]) {
      expect(await keys.verifyApiKey('acme', apiKey)).toMatchObject({ scopes: ['delete'] });
    }
    await expect(companies.rotate('acme', third)).rejects.toThrow('two active keys');
    expect(await companies.revoke(first.keyId)).toEqual({ companyId: 'acme', state: 'active', activeKeys: 1 });
    await expect(keys.verifyApiKey('acme', first.apiKey)).rejects.toMatchObject({ refusal: 'revoked' });
    expect(await keys.verifyApiKey('acme', second.apiKey)).toBeDefined();
    await companies.rotate('acme', third, ['read']);
    expect(await keys.verifyApiKey('acme', third.apiKey)).toMatchObject({ scopes: ['read'] });
  });

  it('are proved by each of their active keys alone', async () => {
    const { store, companies } = world();
    const keys = storedKeys(store);
    const [first, second] = [createApiKey(), createApiKey()];
    await companies.add('acme', first);
    await companies.rotate('acme', second);
    for (const { apiKey, keyId } of [first, second]) {
      expect(await keys.verifyApiKeyAlone(apiKey)).toMatchObject({ companyId: 'acme', keyId });
    }
    await companies.revoke(first.keyId);
    await expect(keys.verifyApiKeyAlone(first.apiKey)).rejects.toMatchObject({ refusal: 'revoked' });
    expect(await keys.verifyApiKeyAlone(second.apiKey)).toMatchObject({ companyId: 'acme' });
  });

  it('never get more than two keys, however many ask at once', async () => {
    const { companies, list } = world();
    const asked = Array.from({ length: 6 }, () => createApiKey());
    const added = await Promise.allSettled(asked.slice(0, 3).map((key) => companies.add('acme', key)));
    const rotated = await Promise.allSettled(asked.slice(3).map((key) => companies.rotate('acme', key)));
    for (const results of [added, rotated]) {
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    expect((await list())[0]?.keys).toHaveLength(2);
  });

  it('that exist are not added again, and those that do not are not rotated', async () => {
    const { companies, list } = world();
    await expect(companies.rotate('acme', createApiKey())).rejects.toThrow('company add');
    await companies.add('acme', createApiKey());
    await expect(companies.add('acme', createApiKey())).rejects.toThrow('company rotate');
    expect(await list()).toHaveLength(1);
  });

  it.each(['', 'a b', 'ä', 'a/b', 'x'.repeat(65)])('have no id like %j', async (companyId) => {
    const { companies } = world();
    await expect(companies.add(companyId, createApiKey())).rejects.toThrow('1 to 64');
    await expect(companies.rotate(companyId, createApiKey())).rejects.toThrow('1 to 64');
  });

  it('whose last key was revoked are added again', async () => {
    const { companies, list } = world();
    const [lost, found] = [createApiKey(), createApiKey()];
    await companies.add('acme', lost);
    expect(await companies.revoke(lost.keyId)).toEqual({ companyId: 'acme', state: 'active', activeKeys: 0 });
    await companies.add('acme', found);
    expect((await list())[0]?.keys.map(({ state }) => state).sort()).toEqual(['active', 'revoked']);
  });

  it('exist from the first key or registration on, with or without an active key', async () => {
    const { companies, list } = world();
    const key = createApiKey();
    expect(await companies.exists('acme')).toBe(false);
    await companies.add('acme', key);
    await companies.revoke(key.keyId);
    await companies.register('acme');
    await companies.register('other');
    await companies.register('other');
    for (const companyId of ['acme', 'other']) expect(await companies.exists(companyId)).toBe(true);
    expect(await companies.exists('third')).toBe(false);
    expect((await list()).map(({ companyId, keys }) => [companyId, keys.length])).toEqual([
      ['other', 0],
      ['acme', 1],
    ]);
    await companies.add('other', createApiKey());
  });

  it('are listed with their keys, and without what would prove one', async () => {
    const { companies, list } = world();
    const many = Array.from(
      { length: 101 },
      (_, n) => [`company-${String(n).padStart(3, '0')}`, createApiKey()] as const,
    );
    for (const [companyId, key] of many) await companies.add(companyId, key, ['read']);
    const listed = await list();
    expect(listed).toEqual(
      many.toReversed().map(([companyId, { keyId }]) => ({
        companyId,
        state: 'active',
        keys: [{ keyId, scopes: ['read'], state: 'active', createdAtUtc: NOW_UTC }],
      })),
    );
  });
});

describe('repeating a request with its key', () => {
  it('changes nothing more', async () => {
    const { companies, list } = world();
    const [first, second] = [createApiKey(), createApiKey()];
    await companies.add('acme', first);
    await companies.add('acme', first);
    await companies.rotate('acme', second);
    await companies.rotate('acme', second);
    await companies.revoke(first.keyId);
    const before = await list();
    await companies.revoke(first.keyId);
    expect(await list()).toEqual(before);
  });

  it('revokes nothing by an id that is none', async () => {
    const { companies } = world();
    await companies.add('acme', createApiKey());
    await expect(companies.revoke(createApiKey().keyId)).rejects.toThrow('no company has a key');
  });
});

describe('a suspended company', () => {
  it('has no key that proves it, new ones included, until it is resumed', async () => {
    const { store, companies, list } = world();
    const keys = storedKeys(store);
    const [first, second] = [createApiKey(), createApiKey()];
    expect(await companies.add('acme', first)).toBe('active');
    expect(await companies.setState('acme', 'suspended')).toBe('changed');
    expect(await companies.rotate('acme', second)).toBe('suspended');
    for (const { apiKey, keyId } of [first, second]) {
      await expect(keys.verifyApiKey('acme', apiKey)).rejects.toMatchObject({ refusal: 'suspended' });
      await expect(keys.verifyApiKeyAlone(apiKey)).rejects.toMatchObject({ refusal: 'suspended' });
      await expect(keys.findActiveKey('acme', keyId)).rejects.toMatchObject({ refusal: 'suspended' });
      await expect(keys.guardKey('acme', keyId)).rejects.toMatchObject({
        name: 'unauthenticated',
        refusal: 'suspended',
      });
    }
    expect(await list()).toMatchObject([{ state: 'suspended', suspendedAtUtc: NOW_UTC }]);
    expect(await companies.setState('acme', 'active')).toBe('changed');
    for (const { apiKey, keyId } of [first, second])
      expect(await keys.verifyApiKey('acme', apiKey)).toMatchObject({ keyId });
    expect((await list())[0]).not.toHaveProperty('suspendedAtUtc');
  });

  it('is suspended once, however often that is asked for', async () => {
    const { companies, list } = world();
    await companies.add('acme', createApiKey());
    expect(await companies.setState('acme', 'active')).toBe('unchanged');
    await companies.setState('acme', 'suspended');
    const before = await list();
    expect(await companies.setState('acme', 'suspended')).toBe('unchanged');
    expect(await list()).toEqual(before);
  });

  it('keeps a revoked key revoked', async () => {
    const { store, companies } = world();
    const [first, second] = [createApiKey(), createApiKey()];
    await companies.add('acme', first);
    await companies.rotate('acme', second);
    await companies.setState('acme', 'suspended');
    await companies.revoke(first.keyId);
    await companies.setState('acme', 'active');
    await expect(storedKeys(store).verifyApiKey('acme', first.apiKey)).rejects.toMatchObject({ refusal: 'revoked' });
    expect(await storedKeys(store).verifyApiKey('acme', second.apiKey)).toBeDefined();
  });

  it('exists, with a key or without', async () => {
    const { companies, list } = world();
    for (const state of ['suspended', 'active'] as const)
      await expect(companies.setState('nobody', state)).rejects.toThrow('no company has this id');
    await companies.register('sandbox');
    await companies.register('sandbox');
    expect(await companies.setState('sandbox', 'suspended')).toBe('changed');
    expect(await list()).toEqual([{ companyId: 'sandbox', state: 'suspended', suspendedAtUtc: NOW_UTC, keys: [] }]);
  });
});
