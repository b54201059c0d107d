import { describe, expect, it } from 'vitest';
import { NoAnswer, type TransportRequest, type TransportResponse } from '../../../lib/service/http-client/exchange.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { openOperations } from '../../../lib/upstream/open-operations.ts';
import { storeWith } from '../../faults/faulty.ts';
import type { JsonObject } from '../../support/projects.ts';
import { contentOf, type UpstreamService } from '../../support/world.ts';
import { problemOf } from '../support.ts';
import {
  absent,
  DAY_MS,
  type Fate,
  failing,
  HostedUpstream,
  killed,
  lost,
  NOTHING_OPEN,
  response,
  SETTLE_MS,
  swallowed,
  twice,
  type World,
} from './world.ts';

const NAME = 'segue.company.n.c';
const FIELDS = { customId: 'c' };
const ONE_SETTLED = { ...NOTHING_OPEN, settled: 1 };

const create = ({ world }: HostedUpstream, segue: UpstreamService, key = 'k', fields: JsonObject = FIELDS) =>
  segue.create(world.checked(fields), world.once(key));

/** Sends a create with time for one lookup only. */
const createHurriedly = ({ world }: HostedUpstream, segue: UpstreamService, key: string, fields: JsonObject = FIELDS) =>
  segue.create(world.checked(fields), world.hurried(key));

/** Leaves a create open. */
async function open(fate: Fate, fields: JsonObject = FIELDS) {
  const upstream = new HostedUpstream();
  const segue = upstream.segue();
  upstream.next('create', fate);
  upstream.next('find', absent);
  const { name, occurrence } = await problemOf(createHurriedly(upstream, segue, 'k', fields));
  expect({ name, ...occurrence }).toMatchObject({ name: 'outcome-unknown', operationId: operationIdOf('k') });
  upstream.asked.splice(0);
  const state = () => upstream.state();
  expect(await state()).toEqual({ kind: 'running' });
  return { upstream, segue, state, world: upstream.world, reconcile: () => segue.reconcile(() => true) };
}

describe('a creation whose response is lost', () => {
  it.each([
    ['found at once', lost, []],
    ['found late', lost, [absent, absent, absent]],
    ['found when the service answers again', lost, [failing, failing]],
    ['sent twice by a proxy that returns the second response', twice, [absent]],
  ])('returns the created project: %s', async (_, fate, finds) => {
    const upstream = new HostedUpstream();
    const segue = upstream.segue();
    upstream.next('create', fate);
    upstream.next('find', ...finds);
    expect(await contentOf(await create(upstream, segue))).toMatchObject(FIELDS);
    expect(await upstream.names()).toEqual([NAME]);
    expect(upstream.asked).toEqual(['create', ...finds.map(() => 'find'), 'find']);
    expect(await segue.reconcile(() => true)).toEqual(NOTHING_OPEN);
  });

  it('is sent again only after the settle time', async () => {
    const upstream = new HostedUpstream();
    const sentAtMs: number[] = [];
    const timed =
      (fate: Fate): Fate =>
      (reach) => {
        sentAtMs.push(upstream.world.nowMs);
        return fate(reach);
      };
    upstream.next(
      'create',
      timed(swallowed),
      timed((reach) => reach()),
    );
    await create(upstream, upstream.segue({ propagationMs: 10_000 }));
    expect(await upstream.names()).toEqual([NAME]);
    const [first = 0, second = 0] = sentAtMs;
    expect(second - first).toBeGreaterThanOrEqual(10_000);
  });

  it('does not adopt an older project with its custom id', async () => {
    const upstream = new HostedUpstream();
    const segue = upstream.segue({ isOwnAccount: async () => true });
    await upstream.service.create(upstream.world.checked(FIELDS), upstream.account());
    upstream.world.nowMs += 3_600_000;
    // The check before the create does not see the project.
    upstream.next('find', absent);
    expect((await problemOf(create(upstream, segue))).name).toBe('custom-id-in-use');
    expect(await upstream.state()).toMatchObject({ kind: 'failed' });
    expect((await segue.list({ limit: 1 }, upstream.world.call())).projects).toEqual([]);
  });

  it('does not adopt a deleted project that the service still shows', async () => {
    const upstream = new HostedUpstream();
    const segue = upstream.segue({ propagationMs: 10_000 });
    upstream.next('create', lost);
    let shown = response(500);
    upstream.next('find', async (reach) => {
      shown = await reach();
      return shown;
    });
    const first = await create(upstream, segue);
    await segue.delete({ id: first.id }, { kind: 'project' }, upstream.world.call());
    upstream.next('create', swallowed);
    upstream.next('find', async () => shown);
    const second = await create(upstream, segue, 'k2');
    expect(second.id).not.toBe(first.id);
    expect(await upstream.names()).toEqual([NAME]);
  });
});

describe('a retry of an open creation', () => {
  it.each([
    ['adopts its project', lost],
    ['creates it if there is none', swallowed],
  ])('%s', async (_, fate) => {
    const { upstream, segue, state, world, reconcile } = await open(fate);
    world.settle();
    const { id } = await create(upstream, segue);
    expect(await upstream.names()).toEqual([NAME]);
    expect(upstream.asked[0]).toBe('find');
    expect(await state()).toMatchObject({ kind: 'done', result: { id } });
    expect(await reconcile()).toEqual(NOTHING_OPEN);
  });

  it('may come ten minutes later with its old start date', async () => {
    const { segue, world } = await open(lost);
    const project = world.checked(FIELDS);
    world.nowMs += 600_000;
    expect(await contentOf(await segue.create(project, world.once('k')))).toMatchObject(FIELDS);
  });

  it('sends nothing before the settle time is over', async () => {
    const { upstream, segue } = await open(swallowed);
    expect((await problemOf(create(upstream, segue))).name).toBe('outcome-unknown');
    expect(new Set(upstream.asked)).toEqual(new Set(['find']));
  });

  it.each(['sent', 'looked for'])(
    'stays open for the settle time if the clock is set back while it is %s',
    async (when) => {
      const upstream = new HostedUpstream();
      const { world } = upstream;
      const segue = upstream.segue();
      upstream.next('create', (reach) => {
        if (when === 'sent') world.nowMs -= 3_600_000;
        return swallowed(reach);
      });
      expect((await problemOf(create(upstream, segue))).name).toBe('outcome-unknown');
      if (when === 'looked for') {
        world.nowMs -= 3_600_000;
        upstream.next('find', killed);
        await expect(create(upstream, segue)).rejects.toThrow('killed');
      }
      world.nowMs += 3_600_000;
      expect(await segue.reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
      expect(await upstream.state()).toEqual({ kind: 'running' });
    },
  );

  it('is refused with other content', async () => {
    const { upstream, segue, reconcile } = await open(lost);
    const other = () => problemOf(create(upstream, segue, 'k', { ...FIELDS, name: 'Another' }));
    expect((await other()).name).toBe('idempotency-key-reused');
    await reconcile();
    expect((await other()).occurrence.errors).toMatchObject([{ pointer: '/name' }]);
  });

  it('with another key waits for the custom id', async () => {
    const { upstream, segue, world, reconcile } = await open(lost);
    const other = () => problemOf(create(upstream, segue, 'another'));
    expect((await other()).name).toBe('request-in-progress');
    expect((await problemOf(segue.validate(world.checked(FIELDS), world.call()))).name).toBe('custom-id-in-use');
    await reconcile();
    expect((await other()).name).toBe('custom-id-in-use');
  });
});

describe('the reconciler', () => {
  it('adopts a created project', async () => {
    const { upstream, segue, state, world, reconcile } = await open(lost);
    expect(await reconcile()).toEqual(ONE_SETTLED);
    expect(await state()).toMatchObject({ kind: 'done', result: { segments: 1 } });
    const { id } = await segue.get({ customId: 'c' }, undefined, world.call());
    expect((await create(upstream, segue)).id).toBe(id);
    expect(await upstream.names()).toEqual([NAME]);
    expect(upstream.asked).not.toContain('create');
  });

  it('records a failure after the settle time, and frees key and custom id', async () => {
    const { upstream, segue, state, world, reconcile } = await open(swallowed);
    const { nowMs } = world;
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect([upstream.asked, world.nowMs]).toEqual([['find'], nowMs]);
    expect(await state()).toEqual({ kind: 'running' });
    world.nowMs += SETTLE_MS;
    expect(await reconcile()).toEqual(ONE_SETTLED);
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
    await expect(segue.validate(world.checked(FIELDS), world.call())).resolves.toBeUndefined();
    await create(upstream, segue, 'another');
    expect((await problemOf(create(upstream, segue))).name).toBe('custom-id-in-use');
    await create(upstream, segue, 'k', { customId: 'other' });
    expect(await upstream.names()).toEqual(['segue.company.n.other', NAME]);
  });

  it('stops when no time is left, and reports the age of the oldest open operation', async () => {
    const { segue, world } = await open(lost);
    world.nowMs += 50_000;
    const { settled, left, oldestMs } = await segue.reconcile(() => false);
    expect({ settled, left }).toEqual({ settled: 0, left: 1 });
    expect(oldestMs).toBeGreaterThanOrEqual(50_000);
  });

  it('goes on after an operation that it cannot read, and reports the error', async () => {
    const { upstream, segue, world, reconcile } = await open(lost);
    upstream.next('create', lost);
    upstream.next('find', absent);
    await problemOf(createHurriedly(upstream, segue, 'k1', { customId: 'c1' }));
    const key = { partition: 'company/company', sort: `request/${operationIdOf('k')}` };
    const { version = 0 } = world.storage.peek(key) ?? {};
    await world.storage.commit({ writes: [{ kind: 'replace', key, version, data: { of: 'another version' } }] });
    expect(await reconcile()).toMatchObject({ settled: 1, left: 1, failure: expect.any(Error) });
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1, failure: expect.any(Error) });
  });
});

describe('companies with stuck operations', () => {
  type Stuck = (world: World, exchange: TransportRequest) => Promise<TransportResponse>;
  const silent: Stuck = async (world, { deadline }) => {
    world.nowMs += deadline.remainingMs();
    throw new NoAnswer(true, 'DEADLINE');
  };
  const lockedOut: Stuck = async () => response(401);

  /** Leaves creates of companies open. After that, lookups for some companies or custom ids get no answer. */
  async function openFor(
    customIds: Readonly<Record<string, readonly string[]>>,
    stuck: Readonly<Record<string, Stuck>>,
  ) {
    const upstream = new HostedUpstream();
    const { world } = upstream;
    const segue = upstream.segue();
    upstream.way = ({ method }, reach) => (method === 'POST' ? lost(reach) : absent(reach));
    for (const [companyId, all] of Object.entries(customIds)) {
      for (const customId of all) {
        const call = world.hurried(`${companyId} ${customId}`, { companyId });
        expect((await problemOf(segue.create(world.checked({ customId }), call))).name).toBe('outcome-unknown');
      }
    }
    upstream.asked.splice(0);
    upstream.way = (exchange, reach) => {
      const [, company = '', customId = ''] = /custom\/segue\.([\w-]+)\.n\.(\w+)$/.exec(exchange.path) ?? [];
      const fate = stuck[company] ?? stuck[customId];
      return fate ? fate(world, exchange) : reach();
    };
    const openOf = async (isMeant: (companyId: string) => boolean) =>
      (await Array.fromAsync(openOperations(world.storage))).filter(({ companyId }) => isMeant(companyId)).length;
    /** Runs the function once as on AWS: it starts no lookup in the last 20 of its 55 seconds. */
    const run = () => {
      const untilMs = world.nowMs + 35_000;
      return segue.reconcile(() => world.nowMs < untilMs);
    };
    return { upstream, world, openOf, run };
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`);

  it.each([
    ['silent', silent],
    ['locked out', lockedOut],
  ])('do not delay other companies beyond two minutes: %s', async (_, fate) => {
    const healthy = numbered(10).map((name) => [`healthy-${name}`, ['a', 'b', 'c']] as const);
    const ids = { stuck: numbered(60), ...Object.fromEntries(healthy) };
    const { world, openOf, run } = await openFor(ids, { stuck: fate });
    const beganAtMs = world.nowMs;
    for (let runs = 1; (await openOf((company) => company !== 'stuck')) > 0; runs++) {
      expect(world.nowMs - beganAtMs).toBeLessThan(120_000);
      await run();
      world.nowMs = Math.max(world.nowMs, beganAtMs + runs * 60_000);
    }
    expect(world.nowMs - beganAtMs).toBeLessThanOrEqual(120_000);
    expect(await openOf((company) => company === 'stuck')).toBe(60);
  });

  it('are left alone after two lookups in a row without an answer', async () => {
    const { upstream, run } = await openFor({ stuck: numbered(5) }, { stuck: lockedOut });
    expect(await run()).toMatchObject({ settled: 0, left: 5 });
    expect(upstream.asked).toHaveLength(2);
  });

  it('have every other operation settled, although some never get an answer', async () => {
    const { world, openOf, run } = await openFor({ one: numbered(12) }, { c3: silent, c4: silent, c9: silent });
    for (let runs = 0; runs < 12; runs++) {
      await run();
      world.nowMs += 60_000 - (world.nowMs % 60_000);
    }
    expect(await openOf(() => true)).toBe(3);
  });
});

describe('an operation that outlives its key', () => {
  /** Reconciles once a day for six days while the service does not answer. */
  async function sixDays() {
    const opened = await open(lost);
    for (let day = 0; day < 6; day++) {
      opened.world.nowMs += DAY_MS;
      opened.upstream.next('find', failing);
      expect(await opened.reconcile()).toMatchObject({ settled: 0, left: 1 });
    }
    return opened;
  }

  it('is given up with an unknown outcome', async () => {
    const { upstream, segue, state, world, reconcile } = await sixDays();
    expect(await state()).toEqual({ kind: 'running' });
    world.nowMs += DAY_MS;
    upstream.next('find', failing);
    expect(await reconcile()).toEqual({ ...NOTHING_OPEN, givenUp: 1 });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'outcome-unknown' } });
    expect(await reconcile()).toEqual(NOTHING_OPEN);
    await expect(segue.validate(world.checked(FIELDS), world.call())).resolves.toBeUndefined();
  });

  it.each([
    ['adopts the project with the last lookup', 1],
    ['keeps a result for the whole retention from then on', 0],
  ])('%s', async (_, days) => {
    const { state, world, reconcile } = await sixDays();
    world.nowMs += days * DAY_MS;
    expect(await reconcile()).toEqual(ONE_SETTLED);
    world.nowMs += 6 * DAY_MS;
    expect(await state()).toMatchObject({ kind: 'done' });
  });

  /** Returns an open create whose record has expired and is gone. */
  async function expired() {
    const opened = await open(swallowed);
    const { storage } = opened.world;
    const key = { partition: 'company/company', sort: `request/${operationIdOf('k')}` };
    const { version = 0 } = storage.peek(key) ?? {};
    await storage.commit({ writes: [{ kind: 'remove', key, version }] });
    return { ...opened, key };
  }

  it('is forgotten without its record, and its custom id becomes free', async () => {
    const { upstream, segue, reconcile, state } = await expired();
    expect(await reconcile()).toEqual({ ...NOTHING_OPEN, givenUp: 1 });
    expect(await reconcile()).toEqual(NOTHING_OPEN);
    expect((await problemOf(create(upstream, segue, 'another'))).name).toBe('request-in-progress');
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'outcome-unknown' } });
    await create(upstream, segue, 'another');
    expect(await upstream.names()).toEqual([NAME]);
  });

  it('does not free a custom id that another creation has reserved meanwhile', async () => {
    const { upstream, segue, world, key } = await expired();
    let isDone = false;
    const storage = storeWith(world.storage, {
      async read({ partition, sort }) {
        const item = await world.storage.read({ partition, sort });
        if (isDone || sort !== key.sort) return item;
        isDone = true;
        expect((await problemOf(create(upstream, segue, 'a'))).name).toBe('request-in-progress');
        upstream.next('create', swallowed);
        upstream.next('find', absent);
        expect((await problemOf(createHurriedly(upstream, segue, 'b'))).name).toBe('outcome-unknown');
        return item;
      },
    });
    expect((await problemOf(create(upstream, upstream.segue({ storage }), 'c'))).name).toBe('request-in-progress');
    expect((await problemOf(create(upstream, segue, 'd'))).name).toBe('request-in-progress');
  });
});

describe('a request that the reconciler ended while its process was frozen', () => {
  /** Returns a fate in which the service carries the request out only later. */
  const thawed =
    ({ world }: HostedUpstream, reconciler: UpstreamService, fate: Fate = (reach) => reach()): Fate =>
    async (reach) => {
      world.settle();
      expect(await reconciler.reconcile(() => true)).toEqual(ONE_SETTLED);
      return fate(reach);
    };

  it('has an unknown outcome, and a retry finds its project', async () => {
    const upstream = new HostedUpstream();
    const segue = upstream.segue();
    upstream.next('create', thawed(upstream, upstream.segue()));
    expect((await problemOf(create(upstream, segue))).name).toBe('outcome-unknown');
    expect(await contentOf(await create(upstream, segue))).toMatchObject(FIELDS);
    expect(await upstream.names()).toEqual([NAME]);
  });
});
