import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../../lib/contract/problems.ts';
import { companyPartition } from '../../../lib/records/keys.ts';
import { KEY_RETENTION_MS, recordKey } from '../../../lib/records/request-record.ts';
import { type CallContext, operationIdOf } from '../../../lib/service/port.ts';
import type { Batch, Storage } from '../../../lib/storage/port.ts';
import { storeWith } from '../../faults/faulty.ts';
import { hosted, TestClock } from '../../support/world.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, checked, expectProblem, NOW_MS, problemOf } from '../support.ts';

const KEY = 'order-4711';
const ID = operationIdOf(KEY);
const call = callContext();
const withKey = (key = KEY): CallContext => ({ ...callContext(), idempotency: { key, replayed: () => {} } });
/** Returns the call of a request whose operation is visible while it runs. */
const announced = (): CallContext => ({ ...call, idempotency: { key: KEY, replayed: () => {}, isAnnounced: true } });

/** Returns a service with a clock, and a company's operation with the key. */
function world() {
  const clock = new TestClock();
  const { now } = clock;
  const storage = openSqlite(now);
  const service = hosted({ storage, now });
  /** Leaves the record of an attempt that was killed. */
  const leave = (record: object) => {
    const data = { operation: 'create', fingerprint: 'f', leaseEndsAtMs: 0, ...record };
    const key = recordKey(companyPartition('acme'), ID);
    return storage.commit({ writes: [{ kind: 'insert', key, data, expiresAtMs: NOW_MS + KEY_RETENTION_MS }] });
  };
  return { clock, storage, service, leave, state: () => service.operation(ID, call) };
}

/** Returns a store whose commits are frozen until `thaw` is called. @param freezes whether a commit is frozen */
function freezingAt(storage: Storage, freezes: (batch: Batch) => boolean = () => true) {
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const freezing = storeWith(storage, {
    commit: async (batch) => {
      if (freezes(batch)) {
        arrive();
        await thawed;
      }
      return storage.commit(batch);
    },
  });
  return { freezing, arrived, thaw };
}

describe('the operation of a request with a key', () => {
  it('that was refused has its problem, if it was announced, and after a successful retry its result', async () => {
    const { clock, service, state } = world();
    const { id } = await service.create(checked({ customId: 'x' }), call);
    await expectProblem('custom-id-in-use', () => service.create(checked({ customId: 'x' }), withKey()));
    await expectProblem('operation-not-found', state);
    await expectProblem('custom-id-in-use', () => service.create(checked({ customId: 'x' }), announced()));
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'custom-id-in-use' } });
    await service.delete({ id }, { kind: 'project' }, call);
    clock.nowMs += RETRY_AFTER_MS;
    const made = await service.create(checked({ customId: 'x' }), withKey());
    expect(await state()).toMatchObject({ kind: 'done', result: { id: made.id } });
  });

  it('is running while an attempt works, or while its outcome is open', async () => {
    for (const record of [{ leaseEndsAtMs: NOW_MS + 1 }, { intent: { kind: 'create' } }, { intent: null }]) {
      const { leave, state } = world();
      await leave(record);
      expect(await state()).toEqual({ kind: 'running' });
    }
  });

  it('has failed if its attempt was killed', async () => {
    const { clock, leave, state } = world();
    await leave({ leaseEndsAtMs: NOW_MS + 1 });
    clock.nowMs += 1;
    const { problem } = { problem: undefined, ...(await state()) };
    expect(problem).toMatchObject({ name: 'unavailable', occurrence: { retryAfterSeconds: 1 } });
  });

  it('that ended in a problem has failed, in the words of the catalogue', async () => {
    for (const failure of PROBLEM_TYPES) {
      const { leave, state } = world();
      await leave({ failure });
      const { kind, problem } = { problem: undefined, ...(await state()) };
      expect([kind, problem?.name]).toEqual(['failed', failure]);
      const { outcome, title, retryable } = PROBLEMS[failure];
      expect(problem?.body('', '')).toMatchObject({ outcome, detail: `${title}.` });
      expect(problem?.occurrence.retryAfterSeconds !== undefined).toBe(retryable);
    }
  });

  it('that ended in an unknown problem has failed', async () => {
    const { leave, state } = world();
    await leave({ failure: 'toString' });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'unavailable' } });
  });
});

/** The time in `Retry-After` of a failed operation, in milliseconds. */
const RETRY_AFTER_MS = 1_000;

describe('an operation that was reported as failed', () => {
  /**
   * Returns a create that is frozen just before its commit, and a reader whose clock says that the lease is over. By
   * its own clock, the create may still have time.
   */
  async function frozen(clocks: { readonly ownMs: number }) {
    const { clock, storage, service, state } = world();
    const { freezing, arrived, thaw } = freezingAt(storage, ({ writes }) => writes.length > 1);
    const own = { nowMs: NOW_MS };
    const late = hosted({ storage: freezing, now: () => own.nowMs });
    const deadline = { remainingMs: () => Math.max(0, NOW_MS + 10_000 - own.nowMs) };
    const creation = late.create(checked({ customId: 'late' }), { ...announced(), deadline });
    await arrived;
    own.nowMs += clocks.ownMs;
    clock.nowMs += LEASE_MS;
    const goOn = () => {
      thaw();
      return creation;
    };
    return { clock, service, state, goOn };
  }
  /** The time limit of the request and one second, in milliseconds. */
  const LEASE_MS = 11_000;

  it.each([
    ['has no time left', LEASE_MS],
    ['has time left by its own clock', 0],
  ])('never takes effect, although its attempt was frozen and %s', async (_, ownMs) => {
    const { service, state, goOn } = await frozen({ ownMs });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'unavailable' } });
    expect(await problemOf(goOn)).toMatchObject({ name: 'unavailable' });
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [] });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'unavailable' } });
  });

  it('can be requested again with its key', async () => {
    const { clock, service, state, goOn } = await frozen({ ownMs: LEASE_MS });
    await state();
    clock.nowMs += RETRY_AFTER_MS;
    const { id } = await service.create(checked({ customId: 'late' }), withKey());
    expect((await goOn()).id).toBe(id);
    expect(await state()).toMatchObject({ kind: 'done', result: { id } });
    expect((await service.list({ limit: 9 }, call)).projects).toHaveLength(1);
  });

  it.each([
    ['a small', 1],
    ['a large', 1_001],
  ])('is not carried out by an attempt at %s project without a claim that was at work then', async (_, segments) => {
    const { clock, storage, service, leave, state } = world();
    await leave({ failure: 'custom-id-in-use' });
    clock.nowMs += 2 * RETRY_AFTER_MS;
    const { freezing, arrived, thaw } = freezingAt(storage);
    const project = checked({ segments: Array.from({ length: segments }, () => ({ content: 'x' })) });
    const creation = problemOf(() => hosted({ storage: freezing, now: () => clock.nowMs }).create(project, withKey()));
    await arrived;
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'custom-id-in-use' } });
    thaw();
    expect(await creation).toMatchObject({ name: 'unavailable' });
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [] });
  });

  it('is not carried out by an attempt that claims its key after another one has said that nothing was done', async () => {
    const { clock, storage, service } = world();
    const now = () => clock.nowMs;
    const { freezing, arrived, thaw } = freezingAt(storage);
    const claiming = problemOf(() => hosted({ storage: freezing, now }).create(checked(), announced()));
    await arrived;
    let commits = 0;
    const losing = storeWith(storage, {
      commit: (batch) =>
        commits++ === 0
          ? Promise.reject(new Problem('outcome-unknown', { detail: 'Planted.' }))
          : storage.commit(batch),
    });
    await expectProblem('unavailable', () => hosted({ storage: losing, now }).create(checked(), withKey()));
    thaw();
    expect(await claiming).toMatchObject({ name: 'unavailable' });
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [] });
  });

  it('is read again first, and is done if its attempt has committed meanwhile', async () => {
    const { storage, service } = world();
    let commits = 0;
    const { id } = await service.create(checked(), call);
    const key = recordKey(companyPartition('acme'), ID);
    const data = { operation: 'create', fingerprint: 'f', leaseEndsAtMs: NOW_MS };
    await storage.commit({ writes: [{ kind: 'insert', key, data, expiresAtMs: NOW_MS + KEY_RETENTION_MS }] });
    const racing = storeWith(storage, {
      commit: async (batch) => {
        if (commits++ === 0) {
          const result = { kind: 'created', projectId: id };
          const settled = { kind: 'replace', key, version: 1, data: { ...data, result } } as const;
          await storage.commit({ writes: [{ ...settled, expiresAtMs: NOW_MS + KEY_RETENTION_MS }] });
        }
        return storage.commit(batch);
      },
    });
    expect(await hosted({ storage: racing }).operation(ID, call)).toMatchObject({ kind: 'done', result: { id } });
    expect(commits).toBe(1);
  });

  it('is fenced off once, even if the answer to that commit was lost', async () => {
    const { storage, leave } = world();
    await leave({ leaseEndsAtMs: NOW_MS });
    let commits = 0;
    const losing = storeWith(storage, {
      commit: async (batch) => {
        commits++;
        await storage.commit(batch);
        throw new Problem('outcome-unknown', { detail: 'Planted.' });
      },
    });
    for (let times = 0; times < 2; times++) {
      expect(await hosted({ storage: losing }).operation(ID, call)).toMatchObject({ kind: 'failed' });
    }
    expect(commits).toBe(1);
  });
});

describe('an unknown operation', () => {
  it('has one problem: for an unused key, another company’s key and an expired key', async () => {
    const { clock, service } = world();
    await service.create(checked(), withKey());
    const other = { ...withKey('other'), companyId: 'other' };
    await service.create(checked(), other);
    const problems = [
      await problemOf(() => service.operation(operationIdOf('unused'), call)),
      await problemOf(() => service.operation(ID, other)),
      await problemOf(() => service.operation(operationIdOf('other'), call)),
    ];
    clock.nowMs += KEY_RETENTION_MS;
    problems.push(await problemOf(() => service.operation(ID, call)));
    for (const { name, occurrence } of problems) {
      expect([name, occurrence]).toEqual(['operation-not-found', problems[0]?.occurrence]);
    }
  });
});
