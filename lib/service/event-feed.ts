import type { PublishedEvent } from '../contract/event.ts';
import type { CallContext } from './port.ts';

/** Selects the events for one page of the feed. */
export interface FeedRange {
  /** The id of the event after which the page starts; absent for the oldest event that is kept. */
  readonly after?: string | undefined;
  /** The maximum number of events in the page. */
  readonly limit: number;
}

/** A page of a company's events, oldest first. */
export interface EventPage {
  readonly events: readonly PublishedEvent[];
  /** Whether the feed has events after this page. */
  readonly more: boolean;
}

/** The events of every company. */
export interface EventFeed {
  /**
   * Reads events that follow each other without gaps. An event of a change that was committed before the call is in the
   * feed, unless the time of the call runs out first.
   * @throws {Problem} `events-expired` if the company has no event with the id of `after`, or no longer keeps it
   */
  page(range: FeedRange, call: Pick<CallContext, 'companyId' | 'deadline'>): Promise<EventPage>;
}
