import { describe, expect, it } from 'vitest';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import {
  NoAnswer,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../../lib/service/http-client/transport.ts';
import { type OperationState, operationIdOf } from '../../../lib/service/port.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { openOperations } from '../../../lib/upstream/open-operations.ts';
import type { UpstreamService } from '../../../lib/upstream/service.ts';
import type { JsonObject } from '../../support/projects.ts';
import { absent, type Fate, failing, HostedUpstream, lost, swallowed, twice } from './hosted-upstream.ts';
import { ACCOUNT, contentOf, problemOf, SETTLE_MS } from './world.ts';

const NAME = 'segue.company.n.c';
const FIELDS = { customId: 'c' };

const create = ({ world }: HostedUpstream, segue: UpstreamService, key = 'k', fields: JsonObject = FIELDS) =>
  segue.create(world.checked(fields), world.once(key));

/** A creation with no time to look for it more than once. */
const hurriedly = ({ world }: HostedUpstream, segue: UpstreamService, key: string, fields: JsonObject) =>
  segue.create(world.checked(fields), world.once(key, { deadline: { remainingMs: () => 1_600 } }));

/** A creation that was sent, and of which nobody knows more. */
async function open(fate: Fate, fields: JsonObject = FIELDS) {
  const behind = new HostedUpstream();
  const segue = behind.segue();
  behind.next('create', fate);
  behind.next('find', absent);
  const { name, occurrence } = await problemOf(hurriedly(behind, segue, 'k', fields));
  expect({ name, ...occurrence }).toMatchObject({ name: 'outcome-unknown', operationId: operationIdOf('k') });
  behind.asked.splice(0);
  const state = (): Promise<OperationState> => segue.operation(operationIdOf('k'), behind.world.call());
  expect(await state()).toEqual({ kind: 'running' });
  return { behind, segue, state, world: behind.world, reconcile: () => segue.reconcile(() => true) };
}

/** So many creations that were carried out, and of which nobody knows more. */
async function openMany(count: number) {
  const behind = new HostedUpstream();
  const segue = behind.segue();
  for (let n = 0; n < count; n++) {
    behind.next('create', lost);
    behind.next('find', absent);
    await problemOf(hurriedly(behind, segue, `k${n}`, { customId: `c${n}` }));
  }
  return { behind, world: behind.world, ...segue };
}

/** How the service treats a company: it answers, or ends the request in another way. */
type Stuck = (world: HostedUpstream['world'], exchange: TransportRequest) => Promise<TransportResponse>;
const silent: Stuck = async (world, { deadline }) => {
  world.nowMs += deadline.remainingMs();
  throw new NoAnswer(true, 'DEADLINE');
};
const lockedOut: Stuck = async () => ({ status: 401, headers: {}, body: new Uint8Array() });

/** A service that some companies cannot reach, and that never answers about some projects. */
function sharedBy(stuck: Readonly<Record<string, Stuck>>) {
  const behind = new HostedUpstream();
  const { world } = behind;
  const never = new Set<string>();
  const secret = async () => JSON.stringify(ACCOUNT);
  const credentials = cachedSecret(secret, readUpstreamCredentials, { now: world.now });
  const transport: Transport = (exchange) => {
    const [, company = '', customId = ''] = /custom\/segue\.([\w-]+)\.n\.(\w+)$/.exec(exchange.path) ?? [];
    const fate = never.has(customId) ? silent : stuck[company];
    if (!fate) return behind.transport(exchange);
    behind.asked.push('find');
    return fate(world, exchange);
  };
  const segue = world.service({ transport, credentials });
  /** A creation of a company that was carried out, and of which nobody knows more. */
  async function leaveOpen(companyId: string, customId: string): Promise<void> {
    behind.next('create', lost);
    behind.next('find', absent);
    const call = world.once(`${companyId} ${customId}`, { companyId, deadline: { remainingMs: () => 1_600 } });
    expect((await problemOf(behind.segue().create(world.checked({ customId }), call))).name).toBe('outcome-unknown');
  }
  return { behind, world, segue, leaveOpen, never };
}

/** Whether a run of the function on AWS begins another look: 20 of its 55 seconds are kept for the last one. */
function lambdaTime(world: HostedUpstream['world']): () => boolean {
  const untilMs = world.nowMs + 35_000;
  return () => world.nowMs < untilMs;
}

const NOTHING_OPEN = { settled: 0, givenUp: 0, left: 0, oldestMs: 0 };
const ONE_SETTLED = { ...NOTHING_OPEN, settled: 1 };

describe('a creation whose answer is lost', () => {
  it.each([
    ['made, and found at once', lost, []],
    ['made, and found late', lost, [absent, absent, absent]],
    ['made, and found once the service can be asked', lost, [failing, failing]],
    ['made twice over by somebody on the way, who gives the second answer', twice, [absent]],
  ])('is the project that was made: %s', async (_, fate, finds) => {
    const behind = new HostedUpstream();
    const segue = behind.segue();
    behind.next('create', fate);
    behind.next('find', ...finds);
    const document = await create(behind, segue);
    expect(await contentOf(document)).toMatchObject(FIELDS);
    expect(await behind.names()).toEqual([NAME]);
    expect(behind.asked).toEqual(['create', ...finds.map(() => 'find'), 'find']);
    expect(await segue.reconcile(() => true)).toEqual(NOTHING_OPEN);
  });

  it('is sent again only once nothing of it can be on its way any more', async () => {
    const behind = new HostedUpstream();
    const segue = behind.segue({ propagationMs: 10_000 });
    const sentAtMs: number[] = [];
    const noted =
      (fate: Fate): Fate =>
      (reach) => {
        sentAtMs.push(behind.world.nowMs);
        return fate(reach);
      };
    behind.next(
      'create',
      noted(swallowed),
      noted((reach) => reach()),
    );
    await create(behind, segue);
    expect(await behind.names()).toEqual([NAME]);
    const [first = 0, second = 0] = sentAtMs;
    expect(second - first).toBeGreaterThanOrEqual(10_000);
  });

  it('may arrive long after it was given up, and is found then', async () => {
    const behind = new HostedUpstream();
    const segue = behind.segue();
    const arrived = Promise.withResolvers<void>();
    behind.next('create', async (reach) => {
      arrived.promise.then(reach);
      throw new NoAnswer(true, 'ECONNRESET');
    });
    behind.next('find', absent, absent, async (reach) => {
      arrived.resolve();
      await arrived.promise;
      return reach();
    });
    expect(await contentOf(await create(behind, segue))).toMatchObject(FIELDS);
    expect(await behind.names()).toEqual([NAME]);
  });

  it('is not an older project with its name', async () => {
    const behind = new HostedUpstream();
    const alone = behind.segue({ isOwnAccount: async () => true });
    await behind.service.create(behind.world.checked(FIELDS), behind.account());
    behind.world.nowMs += 3_600_000;
    // Somebody made it between the look before and the creation, as far as Segue can tell.
    behind.next('find', absent);
    expect((await problemOf(create(behind, alone))).name).toBe('custom-id-in-use');
    expect(await alone.operation(operationIdOf('k'), behind.world.call())).toMatchObject({ kind: 'failed' });
    expect((await alone.list({ limit: 1 }, behind.world.call())).projects).toEqual([]);
  });

  it('is not a project with its name that was deleted and still shows', async () => {
    const behind = new HostedUpstream();
    const segue = behind.segue({ propagationMs: 10_000 });
    const first = await create(behind, segue);
    const shown = await behind.transport({
      method: 'GET',
      path: `/segments/projects/custom/${NAME}`,
      headers: { authorization: `Basic ${Buffer.from('acme:key-at-the-service').toString('base64')}` },
      deadline: { remainingMs: () => 1_000 },
    });
    await segue.delete({ id: first.id }, { kind: 'project' }, behind.world.call());
    behind.next('create', swallowed);
    behind.next('find', async () => shown);
    const second = await create(behind, segue, 'k2');
    expect(second.id).not.toBe(first.id);
    expect(await behind.names()).toEqual([NAME]);
  });
});

describe('the same request again', () => {
  it.each([
    ['was made', lost],
    ['was not', swallowed],
  ])('with the key adopts what was made, or makes it: it %s', async (_, fate) => {
    const { behind, segue, state, world, reconcile } = await open(fate);
    world.settle();
    const document = await create(behind, segue);
    expect(await behind.names()).toEqual([NAME]);
    expect(behind.asked[0]).toBe('find');
    expect(await state()).toMatchObject({ kind: 'done', result: { id: document.id } });
    expect(await reconcile()).toEqual(NOTHING_OPEN);
  });

  it('is a retry ten minutes later too, with the old start date', async () => {
    const { segue, world } = await open(lost);
    const project = world.checked(FIELDS);
    world.nowMs += 600_000;
    expect(await contentOf(await segue.create(project, world.once('k')))).toMatchObject(FIELDS);
  });

  it('before it is settled looks, and sends nothing', async () => {
    const { behind, segue } = await open(swallowed);
    expect((await problemOf(create(behind, segue))).name).toBe('outcome-unknown');
    expect(new Set(behind.asked)).toEqual(new Set(['find']));
  });

  it('does not shorten its time, though the clock was set back meanwhile', async () => {
    const { behind, segue, state, world, reconcile } = await open(swallowed);
    world.nowMs -= 3_600_000;
    behind.next('find', async () => {
      throw new Error('killed');
    });
    await expect(create(behind, segue)).rejects.toThrow('killed');
    world.nowMs += 3_600_000;
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect(await state()).toEqual({ kind: 'running' });
  });

  it('keeps its time, though the clock is set back while the creation is sent', async () => {
    const behind = new HostedUpstream();
    const { world } = behind;
    const segue = behind.segue();
    behind.next('create', (reach) => {
      world.nowMs -= 3_600_000;
      return swallowed(reach);
    });
    expect((await problemOf(create(behind, segue))).name).toBe('outcome-unknown');
    world.nowMs += 3_600_000;
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
    expect(await segue.operation(operationIdOf('k'), world.call())).toEqual({ kind: 'running' });
  });

  it('with other content is refused, while it is open and after that', async () => {
    const { behind, segue, reconcile } = await open(lost);
    const other = () => problemOf(create(behind, segue, 'k', { ...FIELDS, name: 'Another' }));
    expect((await other()).name).toBe('idempotency-key-reused');
    await reconcile();
    expect((await other()).occurrence.errors).toMatchObject([{ pointer: '/name' }]);
    expect(await behind.names()).toEqual([NAME]);
  });

  it('with another key waits for the custom id, and is told who has it then', async () => {
    const { behind, segue, world, reconcile } = await open(lost);
    const other = () => problemOf(create(behind, segue, 'another'));
    expect((await other()).name).toBe('request-in-progress');
    expect((await problemOf(segue.validate(world.checked(FIELDS), world.call()))).name).toBe('custom-id-in-use');
    await reconcile();
    expect((await other()).name).toBe('custom-id-in-use');
  });

  it('while the first is at work is in progress', async () => {
    const behind = new HostedUpstream();
    const segue = behind.segue();
    let second: Promise<unknown> = Promise.resolve();
    behind.next('create', async (reach) => {
      second = problemOf(create(behind, segue));
      await second;
      return reach();
    });
    const made = await create(behind, segue);
    expect(await second).toMatchObject({ name: 'request-in-progress' });
    expect((await create(behind, segue)).id).toBe(made.id);
    expect(await behind.names()).toEqual([NAME]);
  });
});

describe('the reconciler', () => {
  it('adopts what was made', async () => {
    const { behind, segue, state, world, reconcile } = await open(lost);
    expect(await reconcile()).toEqual(ONE_SETTLED);
    expect(await state()).toMatchObject({ kind: 'done', result: { segments: 1 } });
    const { id } = await segue.get({ customId: 'c' }, undefined, world.call());
    const { id: replayed } = await create(behind, segue);
    expect(replayed).toBe(id);
    expect(await behind.names()).toEqual([NAME]);
    expect(behind.asked).not.toContain('create');
  });

  it('says that nothing was made once nothing can be on its way, and frees key and custom id', async () => {
    const { behind, segue, state, world, reconcile } = await open(swallowed);
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect(await state()).toEqual({ kind: 'running' });
    world.settle();
    expect(await reconcile()).toEqual(ONE_SETTLED);
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
    await expect(segue.validate(world.checked(FIELDS), world.call())).resolves.toBeUndefined();
    await create(behind, segue, 'another');
    expect((await problemOf(create(behind, segue))).name).toBe('custom-id-in-use');
    await create(behind, segue, 'k', { customId: 'other' });
    expect(await behind.names()).toEqual(['segue.company.n.other', NAME]);
  });

  it('never says so while the service cannot be asked', async () => {
    const { behind, state, world, reconcile } = await open(lost);
    world.nowMs += 86_400_000;
    behind.next('find', ...Array.from({ length: 20 }, () => failing));
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1, oldestMs: expect.any(Number) });
    expect(await state()).toEqual({ kind: 'running' });
    behind.next('find');
    expect(await reconcile()).toEqual(ONE_SETTLED);
    expect(await state()).toMatchObject({ kind: 'done' });
  });

  it('leaves alone what is being worked on', async () => {
    const behind = new HostedUpstream();
    const segue = behind.segue();
    let seen: unknown;
    behind.next('create', async (reach) => {
      const made = await reach();
      seen = await segue.reconcile(() => true);
      return made;
    });
    await create(behind, segue);
    expect(seen).toEqual({ ...NOTHING_OPEN, left: 1 });
    expect(await segue.reconcile(() => true)).toEqual(NOTHING_OPEN);
  });

  it('may run in two places at once', async () => {
    const { behind, state, segue, world } = await open(lost);
    await Promise.all([segue.reconcile(() => true), behind.segue().reconcile(() => true)]);
    await segue.reconcile(() => true);
    expect(await state()).toMatchObject({ kind: 'done' });
    expect((await segue.list({ limit: 9 }, world.call())).projects).toHaveLength(1);
    expect(await segue.reconcile(() => true)).toEqual(NOTHING_OPEN);
  });

  it('stops where there is no time left, and says how old what is left is', async () => {
    const { segue, state, world } = await open(lost);
    const openMs = 50_000;
    world.nowMs += openMs;
    const { settled, left, oldestMs } = await segue.reconcile(() => false);
    expect({ settled, left }).toEqual({ settled: 0, left: 1 });
    expect(oldestMs).toBeGreaterThanOrEqual(openMs);
    expect(await state()).toEqual({ kind: 'running' });
  });

  it('finds every operation, however many there are', async () => {
    const { behind, ...segue } = await openMany(250);
    expect(await segue.reconcile(() => true)).toEqual({ ...NOTHING_OPEN, settled: 250 });
    const names = await Promise.all(
      Array.from({ length: 250 }, (_, n) => segue.get({ customId: `c${n}` }, undefined, behind.world.call())),
    );
    expect(new Set(names.map(({ id }) => id)).size).toBe(250);
  });

  it('reads the record of an operation that stays open twice: when it finds it, and when it takes it over', async () => {
    const { behind, world } = await open(swallowed);
    let reads = 0;
    const storage: ListedStore = {
      list: (...range) => world.storage.list(...range),
      commit: (batch) => world.storage.commit(batch),
      read(key) {
        reads++;
        return world.storage.read(key);
      },
    };
    expect(await behind.segue({ storage }).reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
    expect(reads).toBe(2);
  });

  it('looks once at each operation, and does not wait', async () => {
    const { behind, world, reconcile } = await open(swallowed);
    const { nowMs } = world;
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect(behind.asked).toEqual(['find']);
    expect(world.nowMs).toBe(nowMs);
  });

  it.each<[string, Stuck]>([
    ['silent', silent],
    ['locked out', lockedOut],
  ])('settles what other companies left within two minutes, though 60 operations of one are %s', async (_, stuck) => {
    const { behind, world, segue, leaveOpen } = sharedBy({ stuck });
    for (let n = 0; n < 60; n++) await leaveOpen('stuck', `c${n}`);
    const healthy = Array.from({ length: 10 }, (_, n) => `healthy-${n}`);
    for (const company of healthy) for (const customId of ['a', 'b', 'c']) await leaveOpen(company, customId);
    behind.asked.splice(0);
    const openOf = async (isMeant: (companyId: string) => boolean) =>
      (await Array.fromAsync(openOperations(world.storage))).filter(({ companyId }) => isMeant(companyId)).length;
    const beganAtMs = world.nowMs;
    for (let runs = 1; (await openOf((company) => company !== 'stuck')) > 0; runs++) {
      expect(world.nowMs - beganAtMs).toBeLessThan(120_000);
      await segue.reconcile(lambdaTime(world));
      world.nowMs = Math.max(world.nowMs, beganAtMs + runs * 60_000);
    }
    expect(world.nowMs - beganAtMs).toBeLessThanOrEqual(120_000);
    expect(await openOf((company) => company === 'stuck')).toBe(60);
  });

  it('asks no more for a company in a run after two looks in a row without an answer', async () => {
    const { behind, world, segue, leaveOpen } = sharedBy({ stuck: lockedOut });
    for (let n = 0; n < 60; n++) await leaveOpen('stuck', `c${n}`);
    behind.asked.splice(0);
    expect(await segue.reconcile(lambdaTime(world))).toMatchObject({ settled: 0, left: 60 });
    expect(behind.asked.length).toBe(2);
  });

  it('comes to every operation of a company, though some of them are never answered', async () => {
    const { world, segue, leaveOpen, never } = sharedBy({});
    for (let n = 0; n < 12; n++) await leaveOpen('one', `c${n}`);
    for (const customId of ['c3', 'c4', 'c9']) never.add(customId);
    for (let runs = 0; runs < 12; runs++) {
      await segue.reconcile(lambdaTime(world));
      world.nowMs += 60_000 - (world.nowMs % 60_000);
    }
    expect(await Array.fromAsync(openOperations(world.storage))).toHaveLength(3);
  });

  describe('after the time of a key', () => {
    const DAY_MS = 86_400_000;

    /** Reconciles once a day in front of a service that does not answer. */
    async function days(count: number, { behind, world, reconcile }: Awaited<ReturnType<typeof open>>) {
      for (let day = 0; day < count; day++) {
        world.nowMs += DAY_MS;
        behind.next('find', failing);
        expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
      }
    }

    it('gives up what nobody could find out, and says that the outcome is unknown', async () => {
      const opened = await open(lost);
      const { behind, segue, state, world, reconcile } = opened;
      await days(6, opened);
      expect(await state()).toEqual({ kind: 'running' });
      world.nowMs += DAY_MS;
      behind.next('find', failing);
      expect(await reconcile()).toEqual({ ...NOTHING_OPEN, givenUp: 1 });
      expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'outcome-unknown' } });
      expect(await reconcile()).toEqual(NOTHING_OPEN);
      await expect(segue.validate(world.checked(FIELDS), world.call())).resolves.toBeUndefined();
    });

    it('adopts what it finds with its last look', async () => {
      const opened = await open(lost);
      await days(6, opened);
      opened.world.nowMs += DAY_MS;
      expect(await opened.reconcile()).toEqual(ONE_SETTLED);
      expect(await opened.state()).toMatchObject({ kind: 'done' });
    });

    it('keeps what it found for the whole time of a key from then on', async () => {
      const opened = await open(lost);
      await days(6, opened);
      expect(await opened.reconcile()).toEqual(ONE_SETTLED);
      opened.world.nowMs += 6 * DAY_MS;
      expect(await opened.state()).toMatchObject({ kind: 'done' });
    });
  });

  it('goes on after one that cannot be worked on, and says why', async () => {
    const { world, reconcile } = await openMany(3);
    const { storage } = world;
    const key = { partition: 'company/company', sort: `request/${operationIdOf('k1')}` };
    const { version = 0 } = storage.peek(key) ?? {};
    await storage.commit({ writes: [{ kind: 'replace', key, version, data: { of: 'another version' } }] });
    expect(await reconcile(() => true)).toMatchObject({ settled: 2, left: 1, failure: expect.any(Error) });
    expect(await reconcile(() => true)).toMatchObject({ settled: 0, left: 1, failure: expect.any(Error) });
  });

  it('leaves alone what another ends while it looks', async () => {
    const { behind, segue, state, world } = await open(swallowed);
    world.settle();
    let reads = 0;
    const storage: ListedStore = {
      list: (...range) => world.storage.list(...range),
      commit: (batch) => world.storage.commit(batch),
      async read(key) {
        // between finding the operation open and taking it over
        if (++reads === 2) expect(await segue.reconcile(() => true)).toEqual(ONE_SETTLED);
        return world.storage.read(key);
      },
    };
    expect(await behind.segue({ storage }).reconcile(() => true)).toEqual(ONE_SETTLED);
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
    expect(await segue.reconcile(() => true)).toEqual(NOTHING_OPEN);
  });

  /** What was open has outlived its time. */
  async function forgotten() {
    const { behind, segue, state, reconcile } = await open(swallowed);
    const { storage } = behind.world;
    const key = { partition: 'company/company', sort: `request/${operationIdOf('k')}` };
    const { version = 0 } = storage.peek(key) ?? {};
    await storage.commit({ writes: [{ kind: 'remove', key, version }] });
    return { behind, segue, state, reconcile, storage, key };
  }

  it('forgets an operation whose record is gone, and then its custom id is free', async () => {
    const { behind, segue, reconcile } = await forgotten();
    expect(await reconcile()).toEqual({ ...NOTHING_OPEN, givenUp: 1 });
    expect(await reconcile()).toEqual(NOTHING_OPEN);
    expect((await problemOf(create(behind, segue))).name).toBe('request-in-progress');
    await create(behind, segue);
    expect(await behind.names()).toEqual([NAME]);
  });

  it('says that the outcome of an operation is unknown whose record is gone', async () => {
    const { behind, segue, state, reconcile } = await forgotten();
    await reconcile();
    expect((await problemOf(create(behind, segue, 'another'))).name).toBe('request-in-progress');
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'outcome-unknown' } });
    await create(behind, segue, 'another');
  });

  it('leaves a custom id to whoever had it meanwhile', async () => {
    const { behind, segue, storage, key } = await forgotten();
    let isMeanwhile = true;
    const slow: ListedStore = {
      commit: (batch) => storage.commit(batch),
      list: (partition, range) => storage.list(partition, range),
      async read(wanted) {
        const item = await storage.read(wanted);
        if (wanted.sort !== key.sort || !isMeanwhile) return item;
        isMeanwhile = false;
        expect((await problemOf(create(behind, segue, 'a'))).name).toBe('request-in-progress');
        behind.next('create', swallowed);
        behind.next('find', absent);
        expect((await problemOf(hurriedly(behind, segue, 'b', FIELDS))).name).toBe('outcome-unknown');
        return item;
      },
    };
    expect((await problemOf(create(behind, behind.segue({ storage: slow }), 'c'))).name).toBe('request-in-progress');
    expect(isMeanwhile).toBe(false);
    expect((await problemOf(create(behind, segue, 'd'))).name).toBe('request-in-progress');
  });

  it('waits as long as the settle time of the service, not longer', async () => {
    const { behind, world, reconcile } = await open(swallowed);
    world.nowMs += SETTLE_MS;
    expect(await reconcile()).toEqual(ONE_SETTLED);
    expect(await behind.names()).toEqual([]);
  });
});

describe('a request that the reconciler ended while its process was frozen', () => {
  /** The service carries the request out only after that. */
  const thawn =
    ({ world }: HostedUpstream, reconciler: UpstreamService, fate: Fate = (reach) => reach()): Fate =>
    async (reach) => {
      world.settle();
      expect(await reconciler.reconcile(() => true)).toEqual(ONE_SETTLED);
      return fate(reach);
    };

  it('does not say that nothing was done, and a retry finds its project', async () => {
    const behind = new HostedUpstream();
    const segue = behind.segue();
    behind.next('create', thawn(behind, behind.segue()));
    expect((await problemOf(create(behind, segue))).name).toBe('outcome-unknown');
    expect(await contentOf(await create(behind, segue))).toMatchObject(FIELDS);
    expect(await behind.names()).toEqual([NAME]);
  });

  it('says that the outcome is unknown, if the reconciler does', async () => {
    const behind = new HostedUpstream();
    const own = { isOwnAccount: async () => true };
    behind.next('create', async (reach) => {
      await behind.service.create(behind.world.checked({ ...FIELDS, name: 'Theirs' }), behind.account());
      return thawn(behind, behind.segue(own), swallowed)(reach);
    });
    expect((await problemOf(create(behind, behind.segue(own)))).name).toBe('outcome-unknown');
  });
});

describe('a custom id that Segue gave', () => {
  it('is told nowhere: not by the answer, reads, lists, operations or receipts', async () => {
    const { segue, state, world, reconcile, behind } = await open(lost, {});
    await reconcile();
    const [name] = await behind.names();
    expect(name).toBe(`segue.company.g.${operationIdOf('k')}`);
    const { projects } = await segue.list({ limit: 9 }, world.call());
    const [head] = projects;
    const document = await segue.get({ id: head?.id ?? 0 }, undefined, world.call());
    const replayed = await create(behind, segue, 'k', {});
    const done = await state();
    const receipt = await segue.delete({ id: document.id }, { kind: 'project' }, world.once('d'));
    const told = [projects, await contentOf(document), await contentOf(replayed), receipt];
    expect(JSON.stringify(told)).not.toContain('segue.');
    expect(done).toMatchObject({ kind: 'done', result: document });
    expect(receipt.customId).toBeNull();
    expect(head).not.toHaveProperty('customId');
    expect((await problemOf(segue.get({ customId: name ?? '' }, undefined, world.call()))).name).toBe(
      'project-not-found',
    );
  });
});
