import { expect, it } from 'vitest';
import type { SegueEvent } from '../../../client/index.ts';
import { latestEvents } from '../../latest-events.ts';

/** Returns a feed of events with the given types, each of a project of its own, in pages of two. */
function feed(...types: SegueEvent['type'][]) {
  const events = types.map((type, index): SegueEvent => {
    return { id: `e${index}`, type, timestamp: '2026-11-20T12:00:00.000Z', sequence: 1, data: { projectId: index } };
  });
  return async (after: string | undefined) => {
    const start = events.findIndex(({ id }) => id === after) + 1;
    return { events: events.slice(start, start + 2), more: start + 2 < events.length };
  };
}

it('shows the newest events first, and knows which projects are deleted', async () => {
  const read = feed('project.created', 'project.deleted', 'language.completed');
  expect(await latestEvents(read, 10)).toMatchObject({
    events: [{ id: 'e2' }, { id: 'e1' }, { id: 'e0' }],
    deleted: new Set([1]),
    hasOlder: false,
    hasNewer: false,
  });
});

it('keeps only the newest events', async () => {
  const read = feed(...Array<SegueEvent['type']>(7).fill('project.created'));
  expect(await latestEvents(read, 2)).toMatchObject({ events: [{ id: 'e6' }, { id: 'e5' }], hasOlder: true });
});

it('reads a bounded number of pages, and says that there are newer events', async () => {
  const read = feed(...Array<SegueEvent['type']>(200).fill('project.created'));
  expect(await latestEvents(read, 3)).toMatchObject({ events: [{ id: 'e99' }, {}, {}], hasNewer: true });
});

it('shows an empty feed', async () => {
  expect(await latestEvents(feed(), 10)).toMatchObject({ events: [], hasOlder: false, hasNewer: false });
});
