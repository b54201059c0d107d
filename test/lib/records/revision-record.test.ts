import { describe, expect, it } from 'vitest';
import { retentionMsOf } from '../../../lib/contract/retentions.ts';
import {
  deletionRevisionWrites,
  type LastRevision,
  outdatedPut,
  putRevisionWrites,
  readRevision,
  requireCurrentDeletion,
  revisionKey,
  revisionRef,
} from '../../../lib/records/revision-record.ts';
import type { ProjectRef } from '../../../lib/service/port.ts';
import type { Write } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { expectProblem, NOW_MS } from '../support.ts';

const PAGE: ProjectRef = { customId: 'page 1' };
const KEPT_MS = retentionMsOf('tombstone');

function world() {
  const storage = new MemoryStorage();
  let nowMs = NOW_MS;
  const now = () => nowMs;
  const last = (ref = PAGE, companyId = 'acme') => readRevision({ storage, now }, companyId, ref);
  const change = async (writesOf: (last: LastRevision) => Write[]) => {
    const writes = writesOf(await last());
    if (writes.length > 0) expect(await storage.commit({ writes })).toEqual({ ok: true });
    return writes.length;
  };
  return {
    storage,
    last,
    later: (ms: number) => {
      nowMs += ms;
    },
    put: (revision?: number) => change((known) => putRevisionWrites(known, revision, now())),
    remove: (revision?: number) => change((known) => deletionRevisionWrites(known, revision, now())),
    isOutdated: async (revision?: number) => outdatedPut(await last(), revision) !== undefined,
  };
}

describe('the last revision', () => {
  it('makes puts with a lower one outdated, for as long as the project exists', async () => {
    const { put, isOutdated, last, later } = world();
    expect(await isOutdated(0)).toBe(false);
    await put(7);
    later(100 * KEPT_MS);
    expect(outdatedPut(await last(), 6)).toEqual({ outcome: 'outdated', revision: 7 });
    for (const revision of [7, 8, undefined]) expect(await isOutdated(revision)).toBe(false);
  });

  it.each([
    ['without a revision', undefined, 7],
    ['with the same', 7, 7],
    ['with a higher', 9, 9],
  ])('makes puts outdated that are not higher, for 30 days after a deletion %s', async (_, revision, highest) => {
    const { put, remove, isOutdated, last, later } = world();
    await put(7);
    await remove(revision);
    later(KEPT_MS - 1);
    expect(outdatedPut(await last(), highest)).toEqual({ outcome: 'outdated', revision: highest });
    for (const newer of [highest + 1, undefined]) expect(await isOutdated(newer)).toBe(false);
    later(1);
    expect(await isOutdated(0)).toBe(false);
  });

  it('is remembered after a deletion of a project that did not exist', async () => {
    const { remove, isOutdated } = world();
    await remove(0);
    expect([await isOutdated(0), await isOutdated(1)]).toEqual([true, false]);
  });

  it('is that of the project again after a put with a higher one', async () => {
    const { put, remove, isOutdated, later } = world();
    await remove(7);
    await put(8);
    later(2 * KEPT_MS);
    expect([await isOutdated(7), await isOutdated(8)]).toEqual([true, false]);
  });

  it('refuses only deletions with a lower one', async () => {
    const { put, remove, last } = world();
    await put(7);
    const late = async () => requireCurrentDeletion(await last(), 6);
    await expectProblem('revision-outdated', late);
    for (const revision of [7, 8, undefined]) requireCurrentDeletion(await last(), revision);
    await remove();
    await expectProblem('revision-outdated', late);
  });

  it('is not written if nothing changes', async () => {
    const { put, remove } = world();
    expect([await put(), await remove()]).toEqual([0, 0]);
    await put(7);
    expect([await put(7), await put()]).toEqual([0, 0]);
    expect(await remove()).toBe(1);
  });

  it('is replaced after it has expired, before the store removes it', async () => {
    const { put, remove, later, isOutdated } = world();
    await remove(7);
    later(KEPT_MS);
    await put(1);
    expect([await isOutdated(0), await isOutdated(1)]).toEqual([true, false]);
  });

  it('refuses a change if another has come between', async () => {
    const { storage, last, put } = world();
    for (const revision of [7, 8]) {
      const before = await last();
      await put(revision);
      for (const writes of [
        putRevisionWrites(before, revision + 10, NOW_MS),
        deletionRevisionWrites(before, undefined, NOW_MS),
        deletionRevisionWrites(before, revision, NOW_MS),
      ])
        if (writes.length > 0) expect((await storage.commit({ writes })).ok).toBe(false);
    }
  });

  it('keeps the fields of a newer release', async () => {
    const { storage, put, remove, last } = world();
    const key = revisionKey('acme', PAGE);
    await storage.commit({ writes: [{ kind: 'insert', key, data: { revision: 1, newer: 'field' } }] });
    await remove(2);
    await put(3);
    expect((await last()).known?.record).toEqual({ revision: 3, newer: 'field' });
  });

  it('belongs to one custom id of one company, or to a project without a custom id', async () => {
    const { put, last } = world();
    await put(7);
    expect((await last(PAGE, 'globex')).known).toBeUndefined();
    expect((await last({ customId: 'page 2' })).known).toBeUndefined();
    expect(revisionRef({ id: 5, customId: 'page 1' })).toEqual(PAGE);
    expect(revisionRef({ id: 5, customId: null })).toEqual({ id: 5 });
    expect(revisionKey('acme', { id: 5 })).not.toEqual(revisionKey('acme', { customId: '5' }));
    expect(JSON.stringify(revisionKey('acme', PAGE))).not.toContain('page 1');
  });
});
