import type { EventsPage, SegueEvent } from '../client/index.ts';

/** The newest events of a company. */
export interface LatestEvents {
  /** The newest first. */
  readonly events: readonly SegueEvent[];
  /** The projects that were deleted, so that no page shows them any more. */
  readonly deleted: ReadonlySet<number>;
  /** Whether the feed has older events than these. */
  readonly hasOlder: boolean;
  /** Whether the feed has newer events that were not read. */
  readonly hasNewer: boolean;
}

/** How many pages are read at most. A page has 1,000 events. */
const MAX_PAGES = 50;

/**
 * Reads the feed, which begins with its oldest event, up to its end, and keeps its newest events.
 * @param read reads the page after an event
 * @param keep how many events to keep
 */
export async function latestEvents(
  read: (after: string | undefined) => Promise<EventsPage>,
  keep: number,
): Promise<LatestEvents> {
  const deleted = new Set<number>();
  let kept: readonly SegueEvent[] = [];
  let count = 0;
  let hasNewer = true;
  for (let pages = 0; hasNewer && pages < MAX_PAGES; pages += 1) {
    const { events, more } = await read(kept.at(-1)?.id);
    for (const { type, data } of events) if (type === 'project.deleted') deleted.add(data.projectId);
    kept = [...kept, ...events].slice(-keep);
    count += events.length;
    hasNewer = more;
  }
  return { events: kept.toReversed(), deleted, hasOlder: count > kept.length, hasNewer };
}
