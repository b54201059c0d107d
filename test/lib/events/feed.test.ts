import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outboxMover } from '../../../lib/events/feed-positions.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { faulty, storeFailure, type Way } from '../../faults/faulty.ts';
import { problemOf } from '../support.ts';
import { itemsThrough } from '../webhooks/world.ts';
import { ENOUGH, FeedWorld } from './world.ts';

const DAY_MS = 86_400_000;

describe('the feed', () => {
  it('has every committed event at once, oldest first, as partners get it', async () => {
    const world = new FeedWorld();
    await world.record('acme', 7, 1);
    world.nowMs += 1_000;
    await world.record('acme', 7, 2, { type: 'task.deleted', data: { projectId: 7, taskId: 'front' } });
    expect(await world.page('acme')).toEqual({
      events: [
        {
          id: 'event-1-1',
          type: 'project.created',
          timestamp: '2026-11-20T09:30:00.000Z',
          sequence: 1,
          data: { projectId: 7 },
        },
        {
          id: 'event-2-2',
          type: 'task.deleted',
          timestamp: '2026-11-20T09:30:01.000Z',
          sequence: 2,
          data: { projectId: 7, taskId: 'front' },
        },
      ],
      more: false,
    });
  });

  it('continues after an event, and says whether more follow', async () => {
    const world = new FeedWorld();
    for (let n = 1; n <= 5; n++) await world.record('acme', 7, n);
    const first = await world.page('acme', undefined, 2);
    expect([first.events.map(({ id }) => id), first.more]).toEqual([['event-1-1', 'event-2-2'], true]);
    const rest = await world.page('acme', 'event-2-2', 3);
    expect([rest.events.map(({ id }) => id), rest.more]).toEqual([['event-3-3', 'event-4-4', 'event-5-5'], false]);
    expect(await world.page('acme', 'event-5-5')).toEqual({ events: [], more: false });
    await world.record('acme', 8, 1);
    expect((await world.page('acme', 'event-5-5')).events.map(({ id }) => id)).toEqual(['event-6-6']);
  });

  it('sorts events of several projects by time, and those of one project by sequence', async () => {
    const world = new FeedWorld();
    await world.record('acme', 9, 1);
    world.nowMs += 2;
    await world.record('acme', 5, 1);
    world.nowMs -= 1;
    await world.record('acme', 9, 2);
    await world.record('acme', 5, 2);
    expect((await world.all('acme')).map(({ id }) => id)).toEqual(['event-1-1', 'event-3-2', 'event-2-3', 'event-4-4']);
  });

  it('keeps the events of a company from every other company', async () => {
    const world = new FeedWorld();
    await world.record('acme', 7, 1);
    await world.record('other', 7, 1);
    expect((await world.page('acme')).events.map(({ id }) => id)).toEqual(['event-1-1']);
    expect((await problemOf(() => world.page('acme', 'event-2-1'))).name).toBe('events-expired');
    expect(await world.page('nobody')).toEqual({ events: [], more: false });
  });

  it('refuses an event that is unknown or older than 30 days, and shows none that is older', async () => {
    const world = new FeedWorld();
    for (let n = 1; n <= 3; n++) await world.record('acme', 7, n);
    await world.mover()('acme', ENOUGH);
    world.nowMs += 30 * DAY_MS - 1;
    expect((await world.page('acme', 'event-1-1', 1)).events.map(({ id }) => id)).toEqual(['event-2-2']);
    await world.record('acme', 7, 4);
    await world.mover()('acme', ENOUGH);
    world.nowMs += 1;
    for (const after of ['event-1-1', 'event-3-3', 'event-4-1', 'event-4', 'unknown'])
      expect((await problemOf(() => world.page('acme', after))).name).toBe('events-expired');
    expect((await world.page('acme', undefined, 1)).events.map(({ id }) => id)).toEqual(['event-4-4']);
  });

  it('opens one delivery for each event of a project with an eventUrl', async () => {
    const world = new FeedWorld();
    await world.record('acme', 7, 1, { eventUrl: 'https://example.com/a' });
    await world.record('acme', 8, 1);
    const events = await world.all('acme');
    await world.all('acme');
    const event = events.find(({ data }) => data.projectId === 7);
    expect(world.opened).toEqual([{ companyId: 'acme', eventUrl: 'https://example.com/a', event }]);
  });

  it('waits for an event that a list has missed', async () => {
    const world = new FeedWorld();
    await world.record('acme', 7, 2);
    const late = {
      ...world.store,
      read: world.store.read.bind(world.store),
      commit: world.store.commit.bind(world.store),
    };
    let lists = 0;
    const store: ListedStore = {
      ...late,
      async list(partition, range) {
        const page = await world.store.list(partition, range);
        if (lists++ === 0) await world.record('acme', 7, 1);
        return page;
      },
    };
    expect(await world.mover(store)('acme', ENOUGH)).toBe('all');
    expect((await world.all('acme')).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('opens no delivery before that of an earlier event that a list has missed', async () => {
    const world = new FeedWorld();
    const eventUrl = 'https://example.com/a';
    await world.record('acme', 7, 1, { eventUrl });
    await world.record('acme', 7, 2, { eventUrl });
    const through = {
      read: world.store.read.bind(world.store),
      commit: world.store.commit.bind(world.store),
      list: world.store.list.bind(world.store),
    };
    const killed = outboxMover({
      store: through,
      now: world.now,
      openDelivery: async () => {
        throw new Error('Killed before the delivery is open');
      },
    });
    // Both events get their positions.
    await expect(killed('acme', ENOUGH)).rejects.toThrow('Killed');
    let lists = 0;
    const missing: ListedStore = {
      ...through,
      async list(partition, range) {
        const page = await world.store.list(partition, range);
        return lists++ === 0 ? { ...page, items: page.items.slice(1) } : page;
      },
    };
    expect(await world.mover(missing)('acme', ENOUGH)).toBe('all');
    expect(world.opened.map(({ event }) => event.sequence)).toEqual([1, 2]);
  });

  it('has a mover that tells whether it moved some events, or none', async () => {
    const world = new FeedWorld();
    for (let sequence = 1; sequence <= 60; sequence++) await world.record('acme', 7, sequence);
    const refusing: ListedStore = {
      read: (key) => world.store.read(key),
      list: (partition, range) => world.store.list(partition, range),
      commit: async () => ({ ok: false, refused: 0 }),
    };
    expect(await world.mover(refusing)('acme', ENOUGH, 1)).toBe('none');
    expect(await world.mover()('acme', { remainingMs: () => 0 })).toBe('none');
    expect(await world.mover()('acme', ENOUGH, 1)).toBe('some');
    expect(await world.mover()('acme', ENOUGH, 1)).toBe('all');
  });
});

const WAYS = fc.constantFrom<Way>('fails before', 'fails after', 'stops after', 'breaks after');
/** Which project has the next event: one of three. */
const CHANGES = fc.array(fc.record({ project: fc.integer({ min: 1, max: 3 }), url: fc.boolean() }), { maxLength: 80 });

describe('movers', () => {
  it('lose, repeat and reorder nothing, however many run and wherever they are killed', async () => {
    await fc.assert(
      fc.asyncProperty(CHANGES, fc.array(fc.tuple(WAYS, fc.nat(40)), { maxLength: 6 }), async (changes, faults) => {
        const world = new FeedWorld();
        const expected = await recordAll(world, changes.slice(0, 40));
        const running = faults.map(([way, at]) => {
          const broken = faulty((call) => (call === at ? way : undefined), storeFailure);
          const move = world.mover(itemsThrough(world.store, broken.through))('acme', ENOUGH);
          return Promise.race([move.catch(() => false), broken.stopped]);
        });
        const late = await recordAll(world, changes.slice(40), expected);
        await Promise.all([...running, world.mover()('acme', ENOUGH), world.mover()('acme', ENOUGH)]);
        const found = await world.all('acme', 7);
        expect((await world.positions('acme')).map(({ position }) => position)).toEqual(found.map((_, n) => n + 1));
        for (const [project, ids] of late) {
          const own = found.filter(({ data }) => data.projectId === project);
          expect(own.map(({ id }) => id.replace(/-\d+$/, ''))).toEqual(ids);
        }
        expect(found).toHaveLength(changes.length);
        const urls = changes.filter(({ url }) => url).length;
        // An event has the same id in the feed and on each delivery, although its position comes late.
        const sent = new Set(world.opened.map(({ event }) => event.id));
        expect(sent.size).toBe(urls);
        expect(found.filter(({ id }) => sent.has(id))).toHaveLength(urls);
      }),
      { numRuns: 40 },
    );
  });

  it('never show a reader an event before an earlier one', async () => {
    await fc.assert(
      fc.asyncProperty(CHANGES, async (changes) => {
        const world = new FeedWorld();
        const seen: string[] = [];
        const readOn = async () => {
          const { events } = await world.page('acme', seen.at(-1), 3);
          seen.push(...events.map(({ id }) => id));
        };
        const next = new Map<number, number>();
        for (const { project } of changes) {
          const sequence = (next.get(project) ?? 0) + 1;
          next.set(project, sequence);
          await Promise.all([world.record('acme', project, sequence), world.mover()('acme', ENOUGH), readOn()]);
        }
        while (seen.length < changes.length) await readOn();
        expect(seen).toEqual((await world.all('acme')).map(({ id }) => id));
      }),
      { numRuns: 25 },
    );
  });
});

/** Records an event for each change. @returns the ids of each project's events, in order */
async function recordAll(
  world: FeedWorld,
  changes: readonly { readonly project: number; readonly url: boolean }[],
  before: ReadonlyMap<number, readonly string[]> = new Map(),
) {
  const ids = new Map([...before].map(([project, own]) => [project, [...own]]));
  for (const { project, url } of changes) {
    const own = ids.get(project) ?? [];
    const eventUrl = url ? 'https://example.com/' : undefined;
    own.push(await world.record('acme', project, own.length + 1, { eventUrl }));
    ids.set(project, own);
  }
  return ids;
}
