import { describe, expect, it } from 'vitest';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { keyGuard, storedKeys } from '../../../lib/credentials/key-directory.ts';
import type { Guard } from '../../../lib/idempotency/commit.ts';
import type { DeletionScope, ProjectRef } from '../../../lib/service/port.ts';
import { contentOf, failing, HostedUpstream, lost, problemOf } from './world.ts';

const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };
const FIELDS = { customId: 'c', taskId: 't' };

/** Two companies on one account, each with a project of the same custom id. */
async function neighbours() {
  const behind = new HostedUpstream();
  const { world } = behind;
  const segue = behind.segue();
  const one = world.call({ companyId: 'one' });
  const two = world.call({ companyId: 'two' });
  const [ofOne, ofTwo] = [
    await segue.create(world.checked(FIELDS), one),
    await segue.create(world.checked({ ...FIELDS, name: 'Two’s' }), two),
  ];
  return { behind, world, segue, one, two, ofOne, ofTwo };
}

describe('two companies on one account', () => {
  it('can use the same custom id, and each gets its own back', async () => {
    const { behind, segue, one, two, ofOne, ofTwo } = await neighbours();
    expect((await behind.names()).sort()).toEqual(['segue.one.n.c', 'segue.two.n.c']);
    for (const [call, { id }] of [[one, ofOne] as const, [two, ofTwo] as const]) {
      const read = await segue.get({ customId: 'c' }, undefined, call);
      expect(read.id).toBe(id);
      expect(await contentOf(read)).toMatchObject(FIELDS);
      const { projects } = await segue.list({ limit: 9 }, call);
      expect(projects.map((head) => head.id)).toEqual([id]);
    }
  });

  it('get the same response for the other’s project as for an unknown one', async () => {
    const { behind, segue, one, ofTwo } = await neighbours();
    behind.asked.splice(0);
    const names: readonly (readonly [theirs: ProjectRef, unknown: ProjectRef])[] = [
      [{ id: ofTwo.id }, { id: ofTwo.id + 1_000_000 }],
      [{ customId: 'segue.two.n.c' }, { customId: 'nobody’s' }],
    ];
    for (const [theirs, unknown] of names) {
      const told = (ref: ProjectRef) => [
        segue.get(ref, undefined, one),
        segue.get(ref, 't', one),
        segue.delete(ref, PROJECT, one),
        segue.delete(ref, TASK, one),
      ];
      const bodies = async (ref: ProjectRef) => {
        const problems = await Promise.all(told(ref).map(problemOf));
        return problems.map((problem) => JSON.stringify(problem.body('https://segue.example/problems', 'request')));
      };
      expect(await bodies(theirs)).toEqual(await bodies(unknown));
    }
    expect(behind.asked).toEqual([]);
  });

  it('delete only their own projects', async () => {
    const { behind, segue, one, two, ofTwo } = await neighbours();
    expect(await segue.delete({ customId: 'c' }, PROJECT, one)).toMatchObject({ outcome: 'deleted' });
    expect(await behind.names()).toEqual(['segue.two.n.c']);
    expect((await segue.get({ customId: 'c' }, undefined, two)).id).toBe(ofTwo.id);
    expect((await problemOf(segue.get({ id: ofTwo.id }, undefined, one))).occurrence).not.toHaveProperty(
      'deletedAtUtc',
    );
  });

  it('can use the same idempotency key', async () => {
    const { behind, segue, world } = await neighbours();
    const create = (companyId: string) =>
      segue.create(world.checked({ customId: 'k' }), world.once('key', { companyId }));
    const [one, two] = [await create('one'), await create('two')];
    expect(one.id).not.toBe(two.id);
    expect([(await create('one')).id, (await create('two')).id]).toEqual([one.id, two.id]);
    expect(await behind.names()).toHaveLength(4);
  });
});

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
    // Projects of other clients have no owner here.
    expect((await problemOf(segue.get({ customId: 'c' }, undefined, world.call(alone)))).name).toBe(
      'project-not-found',
    );
  });

  it('creates nothing if its custom ids cannot be looked up', async () => {
    const behind = new HostedUpstream();
    const { world } = behind;
    const segue = behind.segue({ isOwnAccount });
    behind.next('find', failing);
    const creation = segue.create(world.checked(FIELDS), world.once('k', alone));
    expect((await problemOf(creation)).name).toBe('upstream-unavailable');
    expect(behind.asked).not.toContain('create');
    await segue.create(world.checked(FIELDS), world.once('k', alone));
    expect(await behind.names()).toEqual(['c']);
  });
});

describe('the open operations of a suspended company', () => {
  async function suspendable() {
    const behind = new HostedUpstream();
    const { world } = behind;
    const companies = companiesIn(world.storage, world.now);
    await companies.register('company');
    const segue = behind.segue({ guard: keyGuard(storedKeys(world.storage)) });
    return {
      behind,
      world,
      segue,
      call: world.once('k', { requestedBy: { kind: 'workflow', id: null } }),
      async reconcileSuspended() {
        await companies.setState('company', 'suspended');
        world.settle();
        return segue.reconcile(() => true);
      },
    };
  }
  const unreadable = Array.from({ length: 99 }, () => failing);

  it('are settled: a creation', async () => {
    const { behind, world, segue, call, reconcileSuspended } = await suspendable();
    behind.next('create', lost);
    behind.next('find', ...unreadable);
    await problemOf(segue.create(world.checked(FIELDS), call));
    behind.next('find');
    expect(await reconcileSuspended()).toMatchObject({ settled: 1, left: 0 });
    expect((await segue.list({ limit: 9 }, world.call())).projects).toHaveLength(1);
  });

  it('are settled: a deletion', async () => {
    const { behind, world, segue, call, reconcileSuspended } = await suspendable();
    await segue.create(world.checked(FIELDS), world.call());
    behind.next('remove', lost);
    behind.next('read', (reach) => reach(), ...unreadable);
    await problemOf(segue.delete({ customId: 'c' }, PROJECT, call));
    behind.next('read');
    expect(await reconcileSuspended()).toMatchObject({ settled: 1, left: 0 });
    expect((await segue.list({ limit: 9 }, world.call())).projects).toEqual([]);
  });
});

describe('a revoked key', () => {
  /** A company whose key may be revoked, and a project of it. */
  async function guarded(wrap: (guard: Guard, revoke: () => Promise<void>) => Guard = (guard) => guard) {
    const behind = new HostedUpstream();
    const { world } = behind;
    const companies = companiesIn(world.storage, world.now);
    await companies.add('company', { keyId: 'key', apiKey: 'seg_' });
    const revoke = async () => {
      await companies.revoke('key');
    };
    const segue = behind.segue({ guard: wrap(keyGuard(storedKeys(world.storage)), revoke) });
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

  it('does not stop the reconciler from finishing its operations', async () => {
    const { behind, world, segue, revoke } = await guarded();
    behind.next('remove', lost);
    behind.next('read', (reach) => reach(), ...Array.from({ length: 99 }, () => failing));
    await problemOf(segue.delete({ customId: 'c' }, PROJECT, world.once('d', call)));
    await revoke();
    behind.next('read');
    world.settle();
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect((await segue.list({ limit: 1 }, world.call())).projects).toEqual([]);
  });
});
