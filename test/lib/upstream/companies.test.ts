import { describe, expect, it } from 'vitest';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { keyGuard, storedKeys } from '../../../lib/credentials/key-directory.ts';
import type { Guard } from '../../../lib/idempotency/commit.ts';
import type { DeletionScope } from '../../../lib/service/port.ts';
import { problemOf } from '../support.ts';
import { failing, HostedUpstream, lost } from './world.ts';

const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };
/** Answers with which no lookup finds anything. */
const UNREADABLE = Array.from({ length: 99 }, () => failing);
const FIELDS = { customId: 'c', taskId: 't' };

describe('a company with an account of its own', () => {
  const isOwnAccount = async (companyId: string) => companyId === 'alone';
  const alone = { companyId: 'alone' };

  it('has its custom ids there unchanged', async () => {
    const behind = new HostedUpstream();
    const segue = behind.segue({ isOwnAccount });
    await segue.create(behind.world.checked(FIELDS), behind.world.call(alone));
    await segue.create(behind.world.checked(FIELDS), behind.world.call());
    expect((await behind.names()).sort()).toEqual(['c', 'segue.company.n.c']);
  });

  it('gets custom-id-in-use for another client’s project before a request is sent', async () => {
    const behind = new HostedUpstream();
    const { world } = behind;
    const segue = behind.segue({ isOwnAccount });
    await behind.service.create(world.checked(FIELDS), behind.account());
    for (const work of [
      segue.create(world.checked(FIELDS), world.call(alone)),
      segue.validate(world.checked(FIELDS), world.call(alone)),
    ]) {
      expect((await problemOf(work)).name).toBe('custom-id-in-use');
    }
    expect(behind.asked).toEqual(['find', 'find']);
    // Segue knows no owner for projects of other clients.
    expect((await problemOf(segue.get({ customId: 'c' }, undefined, world.call(alone)))).name).toBe(
      'project-not-found',
    );
  });
});

describe('the open operations of a suspended company', () => {
  it.each([
    ['a creation', 'create', 1],
    ['a deletion', 'remove', 0],
  ] as const)('are settled: %s', async (_, kind, projects) => {
    const behind = new HostedUpstream();
    const { world } = behind;
    const companies = companiesIn(world.storage, world.now);
    await companies.register('company');
    const segue = behind.segue({ guard: keyGuard(() => storedKeys(world.storage), world.now) });
    const create = (call = world.call()) => segue.create(world.checked(FIELDS), call);
    if (kind === 'remove') await create();
    behind.next(kind, lost);
    behind.next('find', ...UNREADABLE);
    behind.next('read', (reach) => reach(), ...UNREADABLE);
    const call = world.once('k');
    await problemOf(kind === 'create' ? create(call) : segue.delete({ customId: 'c' }, PROJECT, call));
    for (const shown of ['find', 'read'] as const) behind.next(shown);
    await companies.setState('company', 'suspended');
    world.settle();
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect((await segue.list({ limit: 9 }, world.call())).projects).toHaveLength(projects);
  });
});

describe('a revoked key', () => {
  /** Returns a company whose key may be revoked, and a project of it. */
  async function guarded(wrap: (guard: Guard, revoke: () => Promise<void>) => Guard = (guard) => guard) {
    const behind = new HostedUpstream();
    const { world } = behind;
    const companies = companiesIn(world.storage, world.now);
    await companies.add('company', { keyId: 'key', apiKey: 'seg_' });
    const revoke = async () => {
      await companies.revoke('key');
    };
    const segue = behind.segue({
      guard: wrap(
        keyGuard(() => storedKeys(world.storage), world.now),
        revoke,
      ),
    });
    await segue.create(world.checked(FIELDS), world.call());
    behind.asked.splice(0);
    return { behind, world, segue, revoke };
  }
  const call = { requestedBy: { kind: 'key', id: 'key' } } as const;

  it.each([PROJECT, TASK])('deletes and reads nothing: $kind', async (scope) => {
    const { behind, world, segue, revoke } = await guarded();
    await revoke();
    for (const asked of [world.call(call), world.once('d', call)]) {
      expect((await problemOf(segue.delete({ customId: 'c' }, scope, asked))).name).toBe('unauthenticated');
    }
    expect(behind.asked).toEqual([]);
  });

  it('deletes nothing if it is revoked at the last moment', async () => {
    const { behind, world, segue } = await guarded((guard, revoke) => ({
      ...guard,
      async require(asked) {
        const held = await guard.require(asked);
        await revoke();
        return held;
      },
    }));
    const deletion = segue.delete({ customId: 'c' }, PROJECT, world.call(call));
    expect((await problemOf(deletion)).name).toBe('unauthenticated');
    expect(behind.asked).toEqual(['read']);
    expect(await behind.names()).toEqual(['segue.company.n.c']);
  });

  it('learns nothing about earlier requests', async () => {
    const { world, segue, revoke } = await guarded();
    await segue.delete({ customId: 'c' }, PROJECT, world.once('d', call));
    await revoke();
    const replay = segue.delete({ customId: 'c' }, PROJECT, world.once('d', call));
    expect((await problemOf(replay)).name).toBe('unauthenticated');
  });
});
