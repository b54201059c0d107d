import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sendAll } from '../../../lib/background/mail-handler.ts';
import { dueScan } from '../../../lib/deliveries/due-scan.ts';
import type { DueWorker } from '../../../lib/deliveries/due-worker.ts';
import { FairQueue } from '../../../lib/deliveries/fair-queue.ts';
import { JOBS } from '../../../lib/deliveries/jobs.ts';
import { resultOpener } from '../../../lib/destinations/deliveries.ts';
import { resultSender } from '../../../lib/destinations/result-sender.ts';
import { eventDeliveryOpener } from '../../../lib/events/deliveries.ts';
import { eventSender } from '../../../lib/events/event-sender.ts';
import { jobWorker } from '../../../lib/hosted/work/job-worker.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { deliveryWorker } from '../../../lib/webhooks/delivery-worker.ts';
import { inboxOn } from '../../../lib/webhooks/inbox.ts';
import { keepMovingEvents } from '../../../local/background.ts';
import { VirtualClock } from '../../faults/simulation/clock.ts';
import { answered } from '../../support/answered.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { segment } from '../../support/projects.ts';
import { hosted } from '../../support/world.ts';
import { FeedWorld } from '../events/world.ts';
import { prefixing } from '../hosted/work/world.ts';
import { callContext, checked, NOW_MS } from '../support.ts';
import { identity, noFetch } from '../webhooks/world.ts';

/** How many turns of the event loop a worker takes at most, from one timer to the next. */
const TURNS = 60;
/** How soon the work of a company must start, in milliseconds. A worker looks for new work twice a second. */
const SOON_MS = 1_000;
const GOOD = 'good';

/** A queue of work with its worker, in virtual time. Whatever a flooding company adds never ends by itself. */
interface Flooded {
  /** Adds one piece of work. @param n its number; those of a company are for many receivers, sources or projects */
  readonly add: (companyId: string, n: number) => Promise<unknown>;
  readonly worker: Pick<DueWorker<never>, 'workOnDue'>;
}

/** Makes a queue. @param start called when work of a company starts; the promise ends the work */
type MakeQueue = (clock: VirtualClock, start: (companyId: string) => Promise<void>, now?: () => number) => Flooded;

const events: MakeQueue = ({ sleep, now }, start, addedAt = now) => {
  const store = new MemoryStorage();
  const open = eventDeliveryOpener(store, addedAt);
  const worker = eventSender({
    store,
    now,
    pause: sleep,
    random: () => 0.5,
    secretsOf: async () => ['whsec_bmV3IHNlY3JldCBvZiB0d2VudHktZm91ciBieXRlcw=='],
    async send({ url }) {
      await start(new URL(url).hostname.split('.')[0] ?? '');
      return answered(200);
    },
  });
  const add = (companyId: string, n: number) => {
    const event = {
      id: `${companyId}-${n}`,
      type: 'project.created',
      timestamp: '',
      sequence: 1,
      data: { projectId: n },
    } as const;
    return open({ companyId, eventUrl: `https://${companyId}.example:${1024 + (n % 60)}/`, event });
  };
  return { add, worker };
};

const deliveries: MakeQueue = ({ sleep, now }, start, addedAt = now) => {
  const store = new MemoryStorage();
  const inbox = inboxOn(store, { now: addedAt });
  const worker = deliveryWorker({
    store,
    now,
    pause: sleep,
    random: () => 0.5,
    service: hosted({ storage: new MemoryStorage(), now }),
    mapper: { ...identity, apply: async (mapping) => void (await start(mapping)) },
    findSource: async (name) => ({ name, companyId: name.split('-')[0] ?? '', mapping: name.split('-')[0] ?? '' }),
    openFetch: noFetch,
    requireCompany: async () => undefined,
  });
  const add = (companyId: string, n: number) =>
    inbox.accept({
      id: `${companyId}-${n}`.padEnd(43, '_'),
      source: `${companyId}-${n % 12}`,
      companyId,
      receivedAtMs: addedAt(),
      headers: {},
      body: Buffer.from('{}'),
    });
  return { add, worker };
};

const results: MakeQueue = ({ sleep, now }, start, addedAt = now) => {
  const store = new MemoryStorage();
  const open = resultOpener(store, addedAt);
  const about = { on: ['project.created'], hosts: ['cms.example'], createdAtUtc: '', mapping: '' };
  const worker = resultSender({
    store,
    now,
    pause: sleep,
    random: () => 0.5,
    findDestination: async (name) => ({ name, destinationId: name, companyId: name.split('-')[0] ?? '', ...about }),
    reads: {
      project: async (companyId, id) => ({ id, customId: companyId, name: '', sourceLanguageCode: null }),
      segments: () => Promise.reject(new Error('The event has no language')),
    },
    mapper: {
      applyToJson: async (_, json) => ({
        method: 'POST',
        url: 'https://cms.example/',
        body: JSON.parse(json).project.customId,
      }),
    },
    openGetEntries: () => Promise.reject(new Error('The destination has no fetch')),
    secretOf: async () => undefined,
    requireCompany: async () => undefined,
    async send({ body = '' }) {
      await start(body);
      return answered(200);
    },
  });
  const add = (companyId: string, n: number) => {
    const data = { projectId: n + 1 };
    const event = { id: `${companyId}-${n}`, type: 'project.created', timestamp: '', sequence: 1, data } as const;
    const name = `${companyId}-${n % 10}`;
    return open({ companyId, destination: { id: name, name }, event });
  };
  return { add, worker };
};

const jobs: MakeQueue = ({ sleep, now }, start, addedAt = now) => {
  const storage = new MemoryStorage();
  let ids = 0;
  const newEventId = () => `event-${++ids}`;
  const service = hosted({ storage, now: addedAt, random: Math.random, newEventId });
  const worker = jobWorker({
    storage,
    now,
    sleep,
    pause: sleep,
    newEventId,
    onAttempt: () => {},
    async translate(request) {
      await start(request.texts[0] ?? '');
      return prefixing(request);
    },
  });
  const add = (companyId: string) => {
    const targetLanguages = [{ targetLanguageCode: 'de', serviceAutomaticTranslation: true }];
    const startDateUtc = new Date(addedAt()).toISOString();
    const segments = [segment({ content: companyId })];
    return service.create(checked({ startDateUtc, targetLanguages, segments }), callContext(companyId));
  };
  return { add, worker };
};

/** Works until the work of the good company has started, as `npm start` does. */
async function untilGood(clock: VirtualClock, { worker }: Flooded, isDone: () => boolean): Promise<void> {
  const remainingMs = () => (isDone() ? 0 : 50_000);
  while (!isDone()) {
    await worker.workOnDue({ remainingMs });
    await clock.sleep(500);
  }
}

describe.each([
  ['events', events, 10_000],
  ['deliveries', deliveries, 22_000],
  ['results', results, 22_000],
  ['jobs', jobs, 40_000],
] as const)('the worker of %s', (_, make, holdMs) => {
  it.each([1, 3])(
    'starts the work of a company soon, although %i others flood the queue with work that never ends',
    async (bad) => {
      const clock = new VirtualClock(TURNS);
      let startedAtMs: number | undefined;
      const queue = make(clock, async (companyId) => {
        if (companyId === GOOD) startedAtMs ??= clock.nowMs;
        else if (startedAtMs === undefined) await clock.sleep(holdMs);
      });
      for (let company = 0; company < bad; company++) {
        for (let n = 0; n < 120; n++) await queue.add(`bad${company}`, n);
      }
      let addedAtMs = 0;
      const scene = async () => {
        // In a minute, the first attempts have ended, and the flood has everything that it can have.
        await clock.sleep(61_000);
        addedAtMs = clock.nowMs;
        await queue.add(GOOD, 1);
      };
      await clock.run(Promise.all([untilGood(clock, queue, () => startedAtMs !== undefined), scene()]));
      expect((startedAtMs ?? Number.POSITIVE_INFINITY) - addedAtMs).toBeLessThanOrEqual(SOON_MS);
    },
  );

  it('starts work at once that is due far ahead, because the clock was wrong', async () => {
    const clock = new VirtualClock(TURNS);
    const started: number[] = [];
    const start = async () => void started.push(clock.nowMs);
    const queue = make(clock, start, () => clock.nowMs + 2 * 86_400_000);
    await queue.add(GOOD, 1);
    await clock.run(queue.worker.workOnDue(deadlineAt(clock.nowMs + 50_000, clock.now)));
    expect(started).toEqual([clock.nowMs]);
  });
});

describe('a worker with many more busy companies than places', () => {
  const BUSY = 30;
  const HOLD_MS = 15_000;
  /** How long it takes until each of the busy companies has had one of the 8 places, in milliseconds, with some slack. */
  const ROUND_MS = 1.25 * (BUSY / 8) * HOLD_MS;

  it('lets no company wait for more than one turn of each other', async () => {
    const clock = new VirtualClock(TURNS);
    const startsMs = new Map<string, number[]>();
    const queue = jobs(clock, async (companyId) => {
      startsMs.set(companyId, [...(startsMs.get(companyId) ?? []), clock.nowMs]);
      if (!startsMs.has(GOOD)) await clock.sleep(HOLD_MS);
    });
    // All jobs of a company are older than those of the next one.
    for (let company = 0; company < BUSY; company++) {
      for (let n = 0; n < 12; n++) await queue.add(`bad${company}`, n);
      clock.nowMs += 1;
    }
    let addedAtMs = 0;
    const scene = async () => {
      await clock.sleep(120_000);
      addedAtMs = clock.nowMs;
      await queue.add(GOOD, 1);
    };
    await clock.run(Promise.all([untilGood(clock, queue, () => startsMs.has(GOOD)), scene()]));
    expect((startsMs.get(GOOD)?.[0] ?? Number.POSITIVE_INFINITY) - addedAtMs).toBeLessThanOrEqual(ROUND_MS);
    expect(startsMs.size).toBe(BUSY + 1);
  });
});

describe('a scan', () => {
  /** Returns a store with the jobs of companies in one partition, and how many items its lists have returned. */
  async function storeWith(counts: Readonly<Record<string, number>>, dueMs = NOW_MS) {
    const memory = new MemoryStorage();
    for (const [companyId, count] of Object.entries(counts)) {
      for (let n = 0; n < count; n++) {
        const job = { companyId, projectId: n * 10, atMs: dueMs };
        await memory.commit({ writes: [{ kind: 'insert', key: JOBS.keyOf(job, dueMs), data: {} }] });
      }
    }
    const read = { lists: 0, items: 0 };
    const list: ListedStore['list'] = async (partition, range) => {
      const page = await memory.list(partition, range);
      read.lists++;
      read.items += page.items.length;
      return page;
    };
    return {
      read,
      store: { read: (key) => memory.read(key), commit: (batch) => memory.commit(batch), list } satisfies ListedStore,
    };
  }
  const companies = (found: readonly { readonly companyId: string }[]) =>
    new Set(found.map(({ companyId }) => companyId));

  it('finds all companies at once, and reads no more if one of them has more entries', async () => {
    const reads = [];
    for (const many of [500, 1_000]) {
      const { read, store } = await storeWith({ flood: many, a: 1, z: 1 });
      expect(companies(await dueScan(JOBS, store).next(NOW_MS, () => false))).toEqual(new Set(['flood', 'a', 'z']));
      reads.push({ ...read });
    }
    expect(reads[1]).toEqual(reads[0]);
    expect(reads[0]?.items).toBeLessThan(200);
  });

  it('comes to each entry of a company', async () => {
    const { store } = await storeWith({ flood: 400, z: 1 });
    const scan = dueScan(JOBS, store);
    const found = new Set<number>();
    for (let looks = 0; looks < 10; looks++) {
      for (const { companyId, projectId } of await scan.next(NOW_MS, () => false))
        if (companyId === 'flood') found.add(projectId);
    }
    expect(found.size).toBe(400);
  });

  it('comes to each of many companies with many entries', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `company-${n}`);
    const { store } = await storeWith(Object.fromEntries(names.map((name) => [name, 70])));
    const scan = dueScan(JOBS, store);
    const found = new Set<string>();
    for (let looks = 0; looks < 5; looks++)
      for (const name of companies(await scan.next(NOW_MS, () => false))) found.add(name);
    expect(found.size).toBe(30);
  });

  it('finds what is left, and ends, if everything else has started or is not due', async () => {
    const { store } = await storeWith({ flood: 300 });
    const scan = dueScan(JOBS, store);
    const isStarted = (sort: string) => !sort.endsWith(`/2990/${NOW_MS}`);
    for (let looks = 0; looks < 3; looks++) {
      expect((await scan.next(NOW_MS, isStarted)).map(({ projectId }) => projectId)).toEqual([2_990]);
    }
    expect(await scan.next(NOW_MS, () => true)).toEqual([]);
    expect(await scan.next(NOW_MS - 1, () => false)).toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    'ends after about twice the pages of %i companies, if all of their entries have started',
    async (many) => {
      const counts = Object.fromEntries([300, 400, 600, 700].slice(0, many).map((count, n) => [`company-${n}`, count]));
      const { read, store } = await storeWith(counts);
      const scan = dueScan(JOBS, store);
      for (let looks = 0; looks < 2; looks++) {
        expect(await scan.next(NOW_MS, () => true)).toEqual([]);
        expect(read.lists).toBeLessThanOrEqual(100 * many);
        read.lists = 0;
        // The next look begins in the middle of the entries.
        await scan.next(NOW_MS, () => false);
        read.lists = 0;
      }
    },
  );

  it('finds entries that are due too late behind many that are not due yet', async () => {
    const { store } = await storeWith({ flood: 200 }, NOW_MS + 60_000);
    const dueMs = NOW_MS + 3 * 86_400_000;
    const job = { companyId: 'flood', projectId: 70, atMs: dueMs };
    await store.commit({ writes: [{ kind: 'insert', key: JOBS.keyOf(job, dueMs), data: {} }] });
    expect(await dueScan(JOBS, store).next(NOW_MS, () => false)).toMatchObject([{ projectId: 70 }]);
  });
});

describe('a fair queue', () => {
  const item = (company: string, group: string, n: number) => ({ company, group, n });
  const shares = { pathOf: ({ company, group }: ReturnType<typeof item>) => [company, group], maxRunningOfGroup: 4 };
  const many = (company: string, groups: number, count = 500) =>
    Array.from({ length: count }, (_, n) => item(company, `group ${n % groups}`, n));

  it('starts a company with one item next, and leaves places to others', () => {
    const queue = new FairQueue(shares, [...many('a', 60), item('b', 'only', 1)], []);
    const started = [];
    for (let free = 32; ; free--) {
      const next = queue.start(free);
      if (!next) break;
      started.push(next.company);
    }
    expect(started.indexOf('b')).toBe(1);
    expect(started.filter((company) => company === 'a')).toHaveLength(16);
  });

  it('leaves a quarter of the places if three companies take all that they can', () => {
    const queue = new FairQueue(
      shares,
      ['a', 'b', 'c'].flatMap((company) => many(company, 60)),
      [],
    );
    let free = 32;
    while (queue.start(free)) free--;
    expect(free).toBe(8);
  });

  it('starts the items of a group in order, of groups in turn, and of a lock one at a time', () => {
    const locked = {
      ...shares,
      pathOf: ({ company, group, n }: ReturnType<typeof item>) => [company, group, `${n % 2}`],
    };
    const queue = new FairQueue(locked, many('a', 2, 8), []);
    const first = [queue.start(100), queue.start(100)];
    expect(first.map((each) => each?.n)).toEqual([0, 1]);
    expect(queue.start(100)).toBeUndefined();
    if (first[0]) queue.end(first[0]);
    expect(queue.start(100)?.n).toBe(2);
  });

  it('looks at few items for each start, however many wait', () => {
    let looks = 0;
    const counting = {
      maxRunningOfGroup: 4,
      pathOf(each: ReturnType<typeof item>) {
        looks++;
        return shares.pathOf(each);
      },
    };
    const items = many('a', 60, 5_000);
    const queue = new FairQueue(counting, items, []);
    for (let started = 0; started < 5_000; started++) {
      const next = queue.start(32);
      if (next) queue.end(next);
    }
    expect(queue.waiting.size).toBe(0);
    expect(looks).toBeLessThanOrEqual(4 * items.length);
  });
});

it('e-mails of a company wait for a few seconds only, although those of others are sent slowly', async () => {
  const clock = new VirtualClock();
  const slow = Array.from({ length: 15 }, (_, n) => `slow-${n}`);
  let startedAtMs = Number.POSITIVE_INFINITY;
  await clock.run(
    sendAll(
      async (companyId, { remainingMs }) => {
        if (companyId === GOOD) startedAtMs = clock.nowMs;
        else while (remainingMs() > 0) await clock.sleep(1_000);
        return { done: 1, postponed: 0, dead: 0 };
      },
      (async function* () {
        yield* [...slow, GOOD];
      })(),
      deadlineAt(clock.nowMs + 50_000, clock.now),
    ),
  );
  expect(startedAtMs - new VirtualClock().nowMs).toBeLessThanOrEqual(10_000);
});

it('events of a company are moved after some of those of a company with many, and although those of another cannot be moved', async () => {
  const world = new FeedWorld();
  for (let n = 1; n <= 2_000; n++) await world.record('bad', n, 1);
  const stop = new AbortController();
  const move = world.mover();
  const companyIds = async function* () {
    yield* ['bad', 'broken', GOOD];
  };
  const left = () => world.store.list('company/bad/events', { prefix: 'outbox/', limit: 2_000, maxBytes: 10_000_000 });
  let leftAtGood = 0;
  let rounds = 0;
  await keepMovingEvents(
    async (companyId, deadline, maxBatches) => {
      if (companyId === 'broken') throw new Error('A record is damaged');
      if (companyId === GOOD && rounds++ === 1) await world.record(GOOD, 7, 1);
      const moved = await move(companyId, deadline, maxBatches);
      if (companyId === GOOD && rounds === 2) {
        leftAtGood = (await left()).items.length;
        stop.abort();
      }
      return moved;
    },
    companyIds,
    { stop: stop.signal, log: () => {} },
  );
  await setImmediate();
  expect(leftAtGood).toBe(2_000 - 2 * 10 * 45);
  expect(await world.positions(GOOD)).toHaveLength(1);
});
