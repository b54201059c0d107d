import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { openSqlite } from '../storage/folder.ts';
import { heldNow, NOW_MS } from '../support.ts';
import { refusalOf, USE } from './world.ts';

const NOW_UTC = new Date(NOW_MS).toISOString();

function world(now = heldNow) {
  const store = openSqlite(now);
  const companies = companiesIn(store, now);
  const keys = storedKeys(store);
  return {
    companies,
    keys,
    list: () => Array.fromAsync(companies.list()),
    /** Returns the verdict about each API key of acme, with its company and alone. */
    states: (...apiKeys: readonly { readonly apiKey: string }[]) =>
      Promise.all(
        apiKeys.flatMap(({ apiKey }) => [
          refusalOf(keys.verifyApiKey('acme', apiKey, USE)),
          refusalOf(keys.verifyApiKeyAlone(apiKey, USE)),
        ]),
      ),
  };
}

const [first, second, third] = [createApiKey(), createApiKey(), createApiKey()];

describe('add', () => {
  it('gives a company a key with the given scopes, or all', async () => {
    const { companies, keys } = world();
    await companies.add('acme', first, { scopes: ['create', 'read'] });
    await companies.add('other', second);
    expect(await keys.verifyApiKey('acme', first.apiKey, USE)).toMatchObject({ scopes: ['create', 'read'] });
    expect(await keys.verifyApiKey('other', second.apiKey, USE)).toMatchObject({
      scopes: ['create', 'read', 'update', 'delete'],
    });
    expect(await refusalOf(keys.verifyApiKey('other', first.apiKey, USE))).toBe('unknown-key');
  });

  it('refuses a company that has an active key, and accepts one whose keys are all revoked', async () => {
    const { companies, list } = world();
    await companies.add('acme', first);
    await expect(companies.add('acme', second)).rejects.toThrow('company rotate');
    expect(await companies.revoke(first.keyId)).toEqual({ companyId: 'acme', state: 'active' });
    await companies.add('acme', second);
    expect((await list()).map(({ keys }) => keys.map(({ state }) => state).sort())).toEqual([['active', 'revoked']]);
  });

  it.each(['', 'a b', 'ä', 'a/b', 'x'.repeat(65)])('refuses the company id %j, as rotate does', async (companyId) => {
    const { companies } = world();
    await expect(companies.add(companyId, first)).rejects.toThrow('1 to 64');
    await expect(companies.rotate(companyId, first)).rejects.toThrow('1 to 64');
  });
});

describe('rotate', () => {
  it('adds a second key, with the scopes of the first unless given, and never a third', async () => {
    const { companies, keys, states } = world();
    await expect(companies.rotate('acme', first)).rejects.toThrow('company add');
    await companies.add('acme', first, { scopes: ['delete'] });
    await companies.rotate('acme', second);
    expect(await states(first, second)).toEqual(['good', 'good', 'good', 'good']);
    expect(await keys.verifyApiKey('acme', second.apiKey, USE)).toMatchObject({ scopes: ['delete'] });
    await expect(companies.rotate('acme', third)).rejects.toThrow(`two keys, ${second.keyId} and ${first.keyId}`);
    expect(await companies.revoke(first.keyId)).toEqual({ companyId: 'acme', state: 'active' });
    expect(await states(first, second)).toEqual(['revoked', 'revoked', 'good', 'good']);
    await companies.rotate('acme', third, { scopes: ['read'] });
    expect(await keys.verifyApiKey('acme', third.apiKey, USE)).toMatchObject({ scopes: ['read'] });
  });

  it('adds no third key for concurrent requests either', async () => {
    const { companies, list } = world();
    const newKeys = Array.from({ length: 6 }, () => createApiKey());
    const added = await Promise.allSettled(newKeys.slice(0, 3).map((key) => companies.add('acme', key)));
    const rotated = await Promise.allSettled(newKeys.slice(3).map((key) => companies.rotate('acme', key)));
    for (const results of [added, rotated]) {
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    expect((await list())[0]?.keys).toHaveLength(2);
  });
});

it('repeating a call with the same key changes nothing', async () => {
  const { companies, list } = world();
  for (const key of [first, first]) await companies.add('acme', key);
  for (const key of [second, second]) await companies.rotate('acme', key);
  await companies.revoke(first.keyId);
  const before = await list();
  await companies.revoke(first.keyId);
  expect(await list()).toEqual(before);
  await expect(companies.revoke(third.keyId)).rejects.toThrow('no company has a key');
});

describe('list', () => {
  it('returns every company, also over several pages, with its keys and without their hashes', async () => {
    const { companies, list } = world();
    const many = Array.from(
      { length: 101 },
      (_, n) => [`company-${String(n).padStart(3, '0')}`, createApiKey()] as const,
    );
    for (const [companyId, key] of many) await companies.add(companyId, key, { scopes: ['read'] });
    const key = { scopes: ['read'], state: 'active', createdAtUtc: NOW_UTC };
    expect(await list()).toEqual(
      many.toReversed().map(([companyId, { keyId }]) => ({ companyId, state: 'active', keys: [{ keyId, ...key }] })),
    );
  });

  it('returns the keys of a company with the newest first', async () => {
    let nowMs = NOW_MS;
    const { companies, list } = world(() => nowMs);
    await companies.add('acme', first);
    for (const key of [second, third]) {
      nowMs += 1_000;
      await companies.rotate('acme', key);
      await companies.revoke(key === second ? first.keyId : second.keyId);
    }
    expect((await list()).map(({ keys }) => keys.map(({ keyId }) => keyId))).toEqual([
      [third, second, first].map(({ keyId }) => keyId),
    ]);
  });

  it('shows a key that has expired, unless it is revoked', async () => {
    let nowMs = NOW_MS;
    const { companies } = world(() => nowMs);
    const states = async () => (await companies.keys('acme')).map(({ state }) => state);
    const expiresAtUtc = new Date(NOW_MS + 1).toISOString();
    await companies.add('acme', first, { expiresAtUtc });
    expect(await states()).toEqual(['active']);
    nowMs += 1;
    expect(await states()).toEqual(['expired']);
    await companies.setState('acme', 'suspended');
    expect(await states()).toEqual(['expired']);
    await companies.revoke(first.keyId);
    expect(await states()).toEqual(['revoked']);
  });

  it('includes companies that were registered without a key, once', async () => {
    const { companies, list } = world();
    expect(await companies.exists('acme')).toBe(false);
    await companies.add('acme', first);
    await companies.revoke(first.keyId);
    for (const companyId of ['acme', 'other', 'other']) await companies.register(companyId);
    for (const companyId of ['acme', 'other']) expect(await companies.exists(companyId)).toBe(true);
    expect(await companies.exists('third')).toBe(false);
    expect((await list()).map(({ companyId, keys }) => [companyId, keys.length])).toEqual([
      ['other', 0],
      ['acme', 1],
    ]);
    await companies.add('other', second);
  });
});

describe('setState', () => {
  it('suspends all keys of a company, and new ones, until it is resumed', async () => {
    const { companies, keys, list, states } = world();
    expect(await companies.add('acme', first)).toBe('active');
    expect(await companies.setState('acme', 'suspended')).toBe('changed');
    expect(await companies.stateOf('acme')).toBe('suspended');
    expect(await companies.rotate('acme', second)).toBe('suspended');
    expect(new Set(await states(first, second))).toEqual(new Set(['suspended']));
    expect(await refusalOf(keys.findActiveKey('acme', first.keyId, USE))).toBe('suspended');
    expect(await refusalOf(keys.guardKey({ companyId: 'acme', keyId: first.keyId }, 'request', USE))).toBe('suspended');
    await expect(keys.guardCompany('acme', 'request')).rejects.toMatchObject({ name: 'company-suspended' });
    expect(await list()).toMatchObject([{ state: 'suspended', suspendedAtUtc: NOW_UTC }]);
    expect(await companies.setState('acme', 'active')).toBe('changed');
    expect(new Set(await states(first, second))).toEqual(new Set(['good']));
    expect((await list())[0]).not.toHaveProperty('suspendedAtUtc');
  });

  it('changes nothing if the company has the state already', async () => {
    const { companies, list } = world();
    await companies.register('sandbox');
    expect(await companies.setState('sandbox', 'active')).toBe('unchanged');
    await companies.setState('sandbox', 'suspended');
    expect(await companies.setState('sandbox', 'suspended')).toBe('unchanged');
    expect(await list()).toEqual([{ companyId: 'sandbox', state: 'suspended', suspendedAtUtc: NOW_UTC, keys: [] }]);
  });

  it('leaves a revoked key revoked', async () => {
    const { companies, states } = world();
    await companies.add('acme', first);
    await companies.rotate('acme', second);
    await companies.setState('acme', 'suspended');
    await companies.revoke(first.keyId);
    await companies.setState('acme', 'active');
    expect(await states(first, second)).toEqual(['revoked', 'revoked', 'good', 'good']);
  });
});
