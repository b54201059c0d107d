import { expect, it } from 'vitest';
import { listEvents } from '../../../lib/operations/list-events.ts';
import { FeedWorld } from '../events/world.ts';
import { contextOf, eventOf, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();

async function ask(world: FeedWorld, query: Readonly<Record<string, string>> = {}) {
  const values = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]));
  const handler = listEvents(world.feed(), options);
  return readAnswer(await handler(eventOf('listEvents', { query: values }), contextOf()));
}

it('a page of events links to the next one, and the last page to none', async () => {
  const world = new FeedWorld();
  for (let n = 1; n <= 3; n++) await world.record('acme', 7, n);
  const first = await ask(world, { limit: '2' });
  expect(first).toMatchObject({ status: 200, json: [{ id: 'event-1-1' }, { id: 'event-2-2' }] });
  const next = 'https://api.example.com/v1/events?after=event-2-2&limit=2';
  expect(first.headers['Link']).toBe(`<${next}>; rel="next"`);
  const last = await ask(world, { limit: '2', after: 'event-2-2' });
  expect(last).toMatchObject({ status: 200, json: [{ id: 'event-3-3' }] });
  expect(last.headers).not.toHaveProperty('Link');
  expect(await ask(world, { after: 'event-3-3' })).toMatchObject({ status: 200, json: [] });
});

it('a page without a limit has at most 1,000 events', async () => {
  const world = new FeedWorld();
  for (let n = 1; n <= 1_001; n++) await world.record('acme', 7, n);
  const { json, headers } = await ask(world);
  expect(json).toHaveLength(1_000);
  expect(headers['Link']).toBe('<https://api.example.com/v1/events?after=event-1000-1000>; rel="next"');
});

it.each([
  [{ after: 'another-one' }, 410, 'events-expired'],
  [{ after: 'not an id' }, 400, 'invalid-parameter'],
  [{ limit: '1001' }, 400, 'invalid-parameter'],
  [{ since: 'event-1' }, 400, 'unknown-parameter'],
])('%j is %i %s', async (query, status, type) => {
  const world = new FeedWorld();
  await world.record('other', 7, 1);
  expect(await ask(world, query)).toMatchObject({
    status,
    json: { type: expect.stringContaining(`/problems/${type}`) },
  });
});
