import type { PublishedEvent } from '../../../lib/contract/event.ts';
import { eventFeed } from '../../../lib/events/feed.ts';
import { type EventToSend, outboxMover } from '../../../lib/events/feed-positions.ts';
import { type NewEvent, outboxWrite } from '../../../lib/records/outbox.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { TestClock } from '../../support/world.ts';

/** Enough time for everything. */
export const ENOUGH = { remainingMs: () => 20_000 };

/** A store with outboxes and feeds, and a clock. */
export class FeedWorld extends TestClock {
  readonly store: ListedStore;
  /** The deliveries that movers opened. */
  readonly opened: EventToSend[] = [];

  constructor(store: ListedStore = new MemoryStorage()) {
    super();
    this.store = store;
  }

  /** Commits an event of a project, as a change of the project does. @returns the id of the event */
  async record(companyId: string, projectId: number, sequence: number, changes: Partial<NewEvent> = {}) {
    const id = this.newEventId();
    const event: NewEvent = { type: 'project.created', sequence, data: { projectId }, ...changes };
    const who = { companyId, requestId: 'a-request' };
    const writes = [outboxWrite({ now: this.now, newEventId: () => id }, who, event)];
    if (!(await this.store.commit({ writes })).ok) throw new Error('The sequence number is taken');
    return id;
  }

  /** Returns the mover of a process. */
  mover(store: ListedStore = this.store) {
    return outboxMover({ store, now: this.now, openDelivery: async (toSend) => void this.opened.push(toSend) });
  }

  /** Returns the feed of a process. */
  feed(store: ListedStore = this.store) {
    return eventFeed({ store, now: this.now, move: this.mover(store) });
  }

  page(companyId: string, after?: string, limit = 1_000) {
    return this.feed().page({ after, limit }, { companyId, deadline: ENOUGH });
  }

  /** Reads a company's whole feed in pages. */
  async all(companyId: string, limit = 1_000): Promise<PublishedEvent[]> {
    const found: PublishedEvent[] = [];
    for (;;) {
      const { events, more } = await this.page(companyId, found.at(-1)?.id, limit);
      found.push(...events);
      if (!more) return found;
    }
  }

  /** Returns the positions of the feed and the ids of their events, without moving anything. */
  async positions(companyId: string): Promise<{ position: unknown; id: unknown }[]> {
    const { items } = await this.store.list(`company/${companyId}/events`, {
      prefix: 'feed/',
      limit: 10_000,
      maxBytes: 10_000_000,
    });
    return items
      .map(({ data }) => JSON.parse(JSON.stringify(data)))
      .map(({ position, event }) => ({ position, id: event.id }));
  }
}
