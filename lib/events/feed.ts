import { publishedEvent } from '../contract/event.ts';
import { eventsExpired } from '../contract/failures.ts';
import { FEED_PREFIX, feedSort, positionIn, readFeedRecord } from '../records/feed-record.ts';
import { eventsPartition } from '../records/outbox.ts';
import { earlier } from '../service/deadline.ts';
import type { EventFeed } from '../service/event-feed.ts';
import type { Item, ListedStore } from '../storage/port.ts';
import type { MoveEvents } from './feed-positions.ts';

/** The dependencies of a feed. */
export interface FeedDeps {
  /** The store of the projects, with the outbox and the feed. */
  readonly store: ListedStore;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Moves pending events into the feed, so that a page has every event that was committed before. */
  readonly move: MoveEvents;
}

/** The time reserved for reading a page after the move, in milliseconds. */
const READ_MS = 5_000;
/** The size limit of the page that the store returns, in bytes. */
const MAX_PAGE_BYTES = 4_000_000;

/** Creates the feed of events in a store. */
export function eventFeed({ store, now, move }: FeedDeps): EventFeed {
  const isLive = ({ expiresAtMs = 0 }: Item) => expiresAtMs > now();

  async function positionOf(companyId: string, id: string): Promise<number> {
    const position = positionIn(id);
    if (position === undefined) throw eventsExpired();
    const item = await store.read({ partition: eventsPartition(companyId), sort: feedSort(position) });
    // After a restore, another event may have the position.
    if (!item || !isLive(item) || readFeedRecord(item.data).event.id !== id) throw eventsExpired();
    return position;
  }

  return {
    async page({ after, limit }, { companyId, deadline }) {
      await move(companyId, earlier(deadline, READ_MS));
      let before = after === undefined ? undefined : feedSort(await positionOf(companyId, after));
      const range = { prefix: FEED_PREFIX, limit, maxBytes: MAX_PAGE_BYTES };
      for (;;) {
        const { items, more } = await store.list(eventsPartition(companyId), { ...range, before });
        // The store may keep expired events for a while. They are before all others.
        const live = items.filter(isLive);
        before = items.at(-1)?.sort;
        if (live.length > 0 || !more)
          return { events: live.map(({ data }) => publishedEvent(readFeedRecord(data).event)), more };
      }
    },
  };
}
