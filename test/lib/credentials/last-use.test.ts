import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { findLastUse, lastUseIn } from '../../../lib/credentials/last-use.ts';
import type { Batch } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

const HOUR_MS = 3_600_000;

function world() {
  const store = new MemoryStorage();
  const clock = { nowMs: Date.UTC(2026, 10, 20, 9, 30) };
  const batches: Batch[] = [];
  const counting = {
    read: store.read.bind(store),
    commit(batch: Batch) {
      batches.push(batch);
      return store.commit(batch);
    },
  };
  return { store, clock, batches, recordUse: lastUseIn(counting, () => clock.nowMs) };
}

describe('the last use of a key', () => {
  it('is known to the hour, and written once an hour', async () => {
    const { store, clock, batches, recordUse } = world();
    expect(await findLastUse(store, 'one')).toBeUndefined();
    for (const keyId of ['one', 'one', 'two', 'one']) await recordUse(keyId);
    expect(batches).toHaveLength(2);
    expect(await findLastUse(store, 'one')).toBe('2026-11-20T09:00:00.000Z');
    clock.nowMs += HOUR_MS;
    await recordUse('one');
    expect(await findLastUse(store, 'one')).toBe('2026-11-20T10:00:00.000Z');
    expect(await findLastUse(store, 'two')).toBe('2026-11-20T09:00:00.000Z');
    expect(batches).toHaveLength(3);
  });

  it('never fails a request, and is not retried', async () => {
    const batches: Batch[] = [];
    const failing = {
      read: async () => undefined,
      async commit(batch: Batch) {
        batches.push(batch);
        throw new Problem('unavailable', { detail: 'Not now.' });
      },
    };
    await lastUseIn(failing, () => 0)('one');
    expect(batches.map(({ deadline }) => deadline?.remainingMs())).toEqual([0]);
  });
});
