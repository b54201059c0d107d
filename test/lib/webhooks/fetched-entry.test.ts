import { describe, expect, it } from 'vitest';
import { attemptFields } from '../../../lib/service/log.ts';
import { MESSAGE_MS } from '../../../lib/webhooks/delivery-records.ts';
import type { FetchEntry } from '../../../lib/webhooks/fetch-entry.ts';
import { FetchFailure, MISSING_MS } from '../../../lib/webhooks/fetch-failure.ts';
import { chunksOf, fetchWorld, LARGE, PAGE } from './fetch-world.ts';
import { creation, failingService, identity, LEASE_MS, MINUTE_MS, unavailable } from './world.ts';

describe('a fetched entry', () => {
  it('is the input of the mapping, and is erased with the message when the delivery is done', async () => {
    const { world, content, message, run } = await fetchWorld();
    expect(await run()).toMatchObject({ done: 1 });
    expect([await world.made(), content.fetches, chunksOf(world)]).toEqual([['page'], 1, []]);
    expect(await world.stateOf(message)).not.toHaveProperty('fetched');
    expect(await world.letters.message(message)).toBeUndefined();
  });

  it('is stored, compressed and with the expiry of the message, and used by every retry', async () => {
    const { world, content, message, openFetch, run } = await fetchWorld(
      creation({ customId: 'page', segments: [{ content: 'Hello '.repeat(1_000) }] }),
    );
    await world.run({ openFetch, service: failingService(world, unavailable()) });
    const [chunk, ...more] = chunksOf(world);
    expect(more).toEqual([]);
    expect(chunk?.expiresAtMs).toBe(message.receivedAtMs + MESSAGE_MS);
    expect(JSON.stringify(chunk?.data).length).toBeLessThan(1_000);
    expect(JSON.parse((await world.letters.fetched(message)) ?? '')).toEqual(content.entry);
    content.entry = creation({ customId: 'changed' });
    world.nowMs += MINUTE_MS;
    expect(await run()).toMatchObject({ done: 1 });
    expect([await world.made(), content.fetches]).toEqual([['page'], 1]);
  });

  it('may need several items, each of which DynamoDB can hold, and is whole after a retry', async () => {
    const { world, content, run } = await fetchWorld(LARGE);
    const seen: number[] = [];
    const mapper = {
      ...identity,
      apply: async (_: string, { fetchedJson = '' }) => {
        seen.push(fetchedJson.length);
        if (seen.length === 1) throw unavailable();
        return undefined;
      },
    };
    world.mapper = mapper;
    expect(await run()).toMatchObject({ postponed: 1 });
    const sizes = chunksOf(world).map(({ data }) => JSON.stringify(data).length);
    expect(sizes.length).toBeGreaterThan(8);
    expect(Math.max(...sizes)).toBeLessThan(400_000);
    world.nowMs += MINUTE_MS;
    expect(await run()).toMatchObject({ done: 1 });
    const { length } = JSON.stringify(LARGE);
    expect([seen, content.fetches, chunksOf(world)]).toEqual([[length, length], 1, []]);
  });

  it('is not there if the source needs none for a message', async () => {
    const { world, content, message, run } = await fetchWorld(undefined);
    content.entry = undefined;
    expect(await run()).toMatchObject({ done: 1 });
    expect([content.fetches, await world.made(), (await world.stateOf(message)).kind]).toEqual([1, [], 'done']);
  });

  it('is not fetched for a source without a fetch, which costs no further call', async () => {
    const { world, content, run } = await fetchWorld();
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'fetched' });
    expect(await run()).toMatchObject({ done: 1 });
    expect(content.fetches).toBe(0);
  });

  it('leaves the commands to the next attempt, which does not count, if the time is short after the fetch', async () => {
    const { world, content, message, openFetch } = await fetchWorld();
    const slow =
      async () =>
      async (...call: Parameters<FetchEntry>) => {
        world.nowMs += 40_000;
        return (await openFetch())(...call);
      };
    expect(await world.run({ openFetch: slow })).toMatchObject({ postponed: 1 });
    expect(await world.stateOf(message)).toMatchObject({ kind: 'open', attempts: 0, dueMs: world.nowMs });
    expect(await world.run({ openFetch: slow })).toMatchObject({ done: 1 });
    expect([content.fetches, await world.made()]).toEqual([1, ['page']]);
  });
});

describe('a failed fetch', () => {
  it('is postponed while the content system does not answer, at least as long as it says', async () => {
    const { world, content, message, run } = await fetchWorld();
    content.failure = new FetchFailure('cms.test answered 429.', 'always', 600);
    expect(await run()).toMatchObject({ postponed: 1 });
    const state = await world.stateOf(message);
    expect(state).toMatchObject({ failure: { problem: 'fetch-failed', detail: 'cms.test answered 429.' } });
    expect('dueMs' in state && state.dueMs - world.nowMs).toBeGreaterThanOrEqual(600_000);
    content.failure = undefined;
    await world.toNextAttempt(message);
    expect(await run()).toMatchObject({ done: 1 });
  });

  it('makes the message a dead letter at once if a retry cannot help', async () => {
    const { world, content, run } = await fetchWorld();
    content.failure = new FetchFailure('cms.test answered 401.');
    expect(await run()).toMatchObject({ dead: 1 });
    expect(await world.deadLetter()).toMatchObject({ attempts: 1, failure: { problem: 'fetch-failed' } });
  });

  it('is retried for ten minutes if the entry is missing', async () => {
    const { world, content, message, run } = await fetchWorld();
    content.failure = new FetchFailure('cms.test answered 404.', 'missing');
    const startedMs = world.nowMs;
    while (await world.toNextAttempt(message)) await run();
    const letter = await world.deadLetter();
    expect(letter.endedAtMs - startedMs).toBeGreaterThanOrEqual(MISSING_MS);
    expect(letter.endedAtMs - startedMs).toBeLessThan(3 * MISSING_MS);
    expect(letter.attempts).toBeGreaterThan(5);
  });
});

describe('a redrive', () => {
  it('fetches the entry again, and erases the old one', async () => {
    const { world, content, run } = await fetchWorld({ put: 1 });
    expect(await run()).toMatchObject({ dead: 1 });
    expect(chunksOf(world)).toHaveLength(1);
    content.entry = PAGE;
    await world.redrive();
    expect(await run()).toMatchObject({ done: 1 });
    expect([await world.made(), content.fetches, chunksOf(world)]).toEqual([['page'], 2, []]);
  });

  it('uses the stored entry if a command of the message has run', async () => {
    const { world, content, run } = await fetchWorld([creation({ customId: 'page' }), { create: {} }]);
    expect(await run()).toMatchObject({ dead: 1 });
    content.entry = creation({ customId: 'changed' });
    await world.redrive();
    expect(await run()).toMatchObject({ dead: 1 });
    expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'invalid-project' } });
    expect([await world.made(), content.fetches]).toEqual([['page'], 1]);
  });

  it('fetches again after it failed to fetch', async () => {
    const { world, content, run } = await fetchWorld();
    content.failure = new FetchFailure('cms.test answered 401.');
    await run();
    content.failure = undefined;
    await world.redrive();
    expect(await run()).toMatchObject({ done: 1 });
  });
});

describe('dropping a dead letter', () => {
  it.each([
    ['a small', { put: 1 }],
    ['a large', { ...LARGE, text: undefined, put: LARGE.text }],
  ])('erases %s entry', async (_, entry) => {
    const { world, run } = await fetchWorld(entry);
    expect(await run()).toMatchObject({ dead: 1 });
    expect(chunksOf(world).length).toBeGreaterThan(0);
    await world.letters.drop(await world.deadLetter());
    expect(chunksOf(world)).toEqual([]);
    expect(await world.dead()).toEqual([]);
  });
});

describe('a worker', () => {
  it('repeats the fetch of a killed one', async () => {
    const { world, content, openFetch, run } = await fetchWorld();
    const started = Promise.withResolvers<void>();
    const hanging = async (): Promise<FetchEntry> => () => {
      started.resolve();
      return new Promise(() => {});
    };
    await Promise.race([world.run({ openFetch: hanging }), started.promise]);
    expect(await world.run({ openFetch })).toMatchObject({ done: 0, dead: 0 });
    world.nowMs += LEASE_MS;
    expect(await run()).toMatchObject({ done: 1 });
    expect([content.fetches, await world.made()]).toEqual([1, ['page']]);
  });

  it('that lost its lease during the fetch stores nothing', async () => {
    const { world, content, openFetch } = await fetchWorld();
    const fetched = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const late =
      async () =>
      async (...call: Parameters<FetchEntry>) => {
        begun.resolve();
        await fetched.promise;
        return (await openFetch())(...call);
      };
    const first = world.run({ openFetch: late });
    await begun.promise;
    world.nowMs += LEASE_MS;
    expect(await world.run({ openFetch })).toMatchObject({ done: 1 });
    content.entry = creation({ customId: 'late' });
    fetched.resolve();
    expect(await first).toMatchObject({ done: 0, dead: 0 });
    expect([await world.made(), chunksOf(world)]).toEqual([['page'], []]);
  });
});

it('a slow content system of one company does not delay the messages of another', async () => {
  const { world, openFetch } = await fetchWorld();
  for (let n = 0; n < 20; n++) await world.inbox.accept(world.message({ id: n }, { source: `cms-${n % 5}` }));
  for (let n = 0; n < 5; n++) {
    const fetch = { url: 'body.url', hosts: ['cms.test'] };
    world.sources.set(`cms-${n}`, { name: `cms-${n}`, companyId: 'acme', mapping: 'fetched', fetch });
  }
  world.sources.set('shop', { name: 'shop', companyId: 'other', mapping: 'body' });
  const hanging = Promise.withResolvers<void>();
  const slow =
    async () =>
    async (...call: Parameters<FetchEntry>) => {
      await hanging.promise;
      return (await openFetch())(...call);
    };
  const create = creation({ customId: 'soon' });
  const done = Promise.withResolvers<void>();
  const mapper = { ...identity, apply: async () => create };
  await world.inbox.accept(world.message({ id: 'other' }, { source: 'shop', companyId: 'other' }));
  const running = world.run({
    openFetch: slow,
    mapper,
    pause: () => new Promise(() => {}),
    onAttempt: (ref, { end }) => void (ref.source === 'shop' && end === 'done' && done.resolve()),
  });
  await done.promise;
  expect([await world.made('other'), await world.made('acme')]).toEqual([['soon'], []]);
  hanging.resolve();
  await running;
});

it('the log of a failed fetch names no host', () => {
  expect(attemptFields(new FetchFailure('cms.test answered 401.'))).toEqual({ problem: 'fetch-failed' });
});
