import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { companiesIn, type NewKey } from '../../lib/credentials/companies.ts';
import type { CallContext, DeletionScope } from '../../lib/service/port.ts';
import { throughout } from './faulty.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { endingOf } from './world.ts';

const world = new SqliteWorld();
afterAll(() => world.close());
const companies = companiesIn(world.storage, world.now);

const SEGMENTS = [{ content: 'one' }, { content: 'two', taskId: 'task' }];
const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 'task' };

/** Creates a company with a key and a project, and a call with the key. */
async function arrange() {
  const { companyId, keyId } = await world.newKey();
  const call = (once?: string): CallContext => ({
    ...world.callOf(companyId, once),
    requestedBy: { kind: 'key', id: keyId },
  });
  const { id } = await world.service().create(world.checked({ segments: SEGMENTS }), call());
  /** Returns the number of segments of the project, or `undefined` if it is deleted. */
  const segments = async () => {
    const ending = await endingOf(() => world.service().get({ id }, undefined, call()));
    return ending.is === 'refused' ? undefined : ending.value.segments;
  };
  return { id, keyId, call, segments };
}

/**
 * Sends a deletion, revokes its key before the call with this number, and returns at which call the deletion commits.
 */
async function deleteWhileRevoked(scope: DeletionScope, once: string | undefined, revokeBefore: number) {
  const { id, keyId, call, segments } = await arrange();
  let calls = 0;
  let effectAt = 0;
  const storage = throughout(world.storage, async (work) => {
    calls += 1;
    if (calls === revokeBefore) await companies.revoke(keyId);
    const before = await segments();
    const result = await work();
    if ((await segments()) !== before) effectAt = calls;
    return result;
  });
  const ending = await endingOf(() => world.service(storage).delete({ id }, scope, call(once)));
  return { ending, calls, effectAt, left: await segments() };
}

const KINDS: readonly [string, DeletionScope, string | undefined][] = [
  ['a project', PROJECT, undefined],
  ['a task', TASK, undefined],
  ['a project with an idempotency key', PROJECT, 'k'],
  ['a task with an idempotency key', TASK, 'k'],
];

describe.each(KINDS)('the deletion of %s', (_, scope, once) => {
  it('is refused and deletes nothing if its key is revoked before the commit', async () => {
    const faultless = await deleteWhileRevoked(scope, once, 0);
    expect(faultless.ending.is).toBe('done');
    expect(faultless.effectAt).toBeGreaterThan(1);
    for (let revokeBefore = 1; revokeBefore <= faultless.calls; revokeBefore++) {
      const { ending, left } = await deleteWhileRevoked(scope, once, revokeBefore);
      const isInTime = revokeBefore <= faultless.effectAt;
      const became = ending.is === 'refused' ? ending.problem.name : ending.is;
      expect({ revokeBefore, became, left }).toEqual({
        revokeBefore,
        became: isInTime ? 'unauthenticated' : 'done',
        left: isInTime ? SEGMENTS.length : faultless.left,
      });
    }
  });
});

describe('a revoked key', () => {
  let made: Awaited<ReturnType<typeof arrange>>;
  let other: NewKey;
  beforeAll(async () => {
    made = await arrange();
    other = createApiKey();
    await world.service().delete({ id: made.id }, TASK, made.call('used'));
    await companies.rotate(made.call().companyId, other);
    await companies.revoke(made.keyId);
  });

  it.each<[string, DeletionScope, string]>([
    ['a deletion with a new key', PROJECT, 'new'],
    ['a deletion that was done before', TASK, 'used'],
    ['another deletion with the key of one that was done', PROJECT, 'used'],
  ])('gets only unauthenticated for %s', async (_, scope, once) => {
    const request = (call: CallContext) => endingOf(() => world.service().delete({ id: made.id }, scope, call));
    expect(await request(made.call(once))).toMatchObject({ is: 'refused', problem: { name: 'unauthenticated' } });
    expect(await made.segments()).toBe(1);
  });

  it('leaves its idempotency keys to the company’s other key', async () => {
    const call = { ...made.call('used'), requestedBy: { kind: 'key', id: other.keyId } } as const;
    expect(await world.service().delete({ id: made.id }, TASK, call)).toMatchObject({ taskId: 'task' });
  });
});
