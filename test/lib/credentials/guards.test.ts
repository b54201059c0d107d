import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RequestedBy } from '../../../lib/contract/receipt.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { keyGuard, storedKeys } from '../../../lib/credentials/key-directory.ts';
import type { CallContext } from '../../../lib/service/port.ts';
import { type Batch, CREDENTIALS } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { heldNow } from '../support.ts';

/** The number of items that DynamoDB changes in one transaction. */
const MAX_TRANSACTION = 100;

async function world() {
  const store = new MemoryStorage();
  const batches: Batch[] = [];
  const counting = {
    read: store.read.bind(store),
    list: store.list.bind(store),
    commit(batch: Batch) {
      batches.push(batch);
      return store.commit(batch);
    },
  };
  const companies = companiesIn(counting, heldNow);
  const [first, second] = [createApiKey(), createApiKey()];
  await companies.add('acme', first);
  await companies.rotate('acme', second);
  const guard = keyGuard(() => storedKeys(store), heldNow);
  const call = (requestedBy: RequestedBy, keyVersion?: number): CallContext => ({
    companyId: 'acme',
    requestedBy,
    keyVersion,
    requestId: randomUUID(),
    deadline: { remainingMs: () => 1_000 },
  });
  const byKey = ({ keyId }: { readonly keyId: string }, keyVersion?: number) =>
    call({ kind: 'key', id: keyId }, keyVersion);
  const bySource = () => call({ kind: 'source', id: 'cms' });
  /** Whether the store accepts the check of a deletion. */
  const isAccepted = async (check: Awaited<ReturnType<typeof guard.require>>) =>
    check !== undefined && (await store.commit({ writes: [check] })).ok;
  return { store, batches, companies, guard, first, second, byKey, bySource, isAccepted };
}

/** More than the shards, so that nearly each of them is checked. */
const REQUESTS = 300;
const each = <T>(make: () => T): T[] => Array.from({ length: REQUESTS }, make);

describe('the guards of a key', () => {
  it('are checked one for each request, spread over many items', async () => {
    const { guard, first, byKey, isAccepted } = await world();
    const checks = each(() => guard.presume(byKey(first, 1)));
    const partitions = new Set(checks.map((check) => check?.key.partition));
    expect(partitions.size).toBeGreaterThan(20);
    expect(new Set(await Promise.all(checks.map(isAccepted)))).toEqual(new Set([true]));
    const required = await Promise.all(each(() => guard.require(byKey(first))));
    expect(new Set(await Promise.all(required.map(isAccepted)))).toEqual(new Set([true]));
  });

  it('all refuse after the key is revoked, and those of the other key accept', async () => {
    const { companies, guard, first, second, byKey, isAccepted } = await world();
    const before = each(() => guard.presume(byKey(first, 1)));
    await companies.revoke(first.keyId);
    expect(new Set(await Promise.all(before.map(isAccepted)))).toEqual(new Set([false]));
    for (const call of each(() => byKey(first)))
      await expect(guard.require(call)).rejects.toMatchObject({ refusal: 'revoked', ids: { keyId: first.keyId } });
    expect(await isAccepted(guard.presume(byKey(second, 1)))).toBe(true);
  });

  it('refuse an expired key', async () => {
    const { store, companies, guard, byKey, isAccepted } = await world();
    const keyExpiresAtMs = heldNow() + 1;
    const third = createApiKey();
    await companies.add('other', third, { expiresAtUtc: new Date(keyExpiresAtMs).toISOString() });
    const call = { ...byKey(third, 1), companyId: 'other', keyExpiresAtMs };
    expect(await isAccepted(guard.presume(call))).toBe(true);
    expect(await isAccepted(await guard.require(call))).toBe(true);
    const later = keyGuard(
      () => storedKeys(store),
      () => keyExpiresAtMs,
    );
    expect(later.presume(call)).toBeUndefined();
    const refused = { refusal: 'expired-key', ids: { keyId: third.keyId } };
    await expect(later.require(call)).rejects.toMatchObject(refused);
  });

  it('all refuse while the company is suspended, also those of sources', async () => {
    const { companies, guard, second, byKey, bySource, isAccepted } = await world();
    const before = [
      ...each(() => guard.presume(byKey(second, 1))),
      ...(await Promise.all(each(() => guard.require(bySource())))),
    ];
    await companies.setState('acme', 'suspended');
    expect(new Set(await Promise.all(before.map(isAccepted)))).toEqual(new Set([false]));
    for (const call of each(() => byKey(second)))
      await expect(guard.require(call)).rejects.toMatchObject({ refusal: 'suspended' });
    for (const call of each(bySource))
      await expect(guard.require(call)).rejects.toMatchObject({ name: 'company-suspended' });
    await companies.setState('acme', 'active');
    expect(await isAccepted(await guard.require(byKey(second)))).toBe(true);
    expect(await isAccepted(await guard.require(bySource()))).toBe(true);
  });

  it('fit into one transaction of DynamoDB, whichever command changes them', async () => {
    const { batches, companies, first } = await world();
    await companies.setState('acme', 'suspended');
    await companies.setState('acme', 'active');
    await companies.revoke(first.keyId);
    const sizes = batches.map(({ writes }) => writes.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_TRANSACTION);
    const partitions = batches.flatMap(({ writes }) => writes.map(({ key }) => key.partition));
    expect(partitions.filter((partition) => !partition.startsWith(CREDENTIALS))).toEqual([]);
  });
});
