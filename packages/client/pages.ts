import type { TransportResponse } from '../../lib/service/http-client/exchange.ts';
import { readAs } from '../../lib/service/http-client/send-request.ts';
import { RESPONSES } from './responses.ts';
import type { EventsPage, ProjectPage, SegmentsPage } from './types.ts';

/** Matches the cursor of the next page in a `Link` header. */
const NEXT_CURSOR = /[?&]cursor=([\w.-]+)[^>]*>\s*;\s*rel="next"/;

/** Yields the entries of every page of a list. */
export async function* eachIn<Page extends { readonly cursor?: string }, Entry>(
  pageAt: (cursor?: string) => Promise<Page>,
  entriesIn: (page: Page) => readonly Entry[],
): AsyncGenerator<Entry, void, void> {
  let page = await pageAt();
  yield* entriesIn(page);
  while (page.cursor !== undefined) {
    page = await pageAt(page.cursor);
    yield* entriesIn(page);
  }
}

/** Reads a page of a list of projects. */
export function projectsIn(answer: TransportResponse): ProjectPage | undefined {
  const projects = readAs(RESPONSES.projects)(answer);
  return projects && { projects, ...nextCursor(answer) };
}

/** Reads a page of a project's segments. */
export function segmentsIn(answer: TransportResponse): SegmentsPage | undefined {
  const segments = readAs(RESPONSES.segments)(answer);
  return segments && { segments, ...nextCursor(answer) };
}

/** Reads a page of events, and whether there are more. */
export function eventsIn(answer: TransportResponse): EventsPage | undefined {
  const events = readAs(RESPONSES.events)(answer);
  return events && { events, more: /;\s*rel="next"/.test(String(answer.headers['link'])) };
}

/** Reads the cursor of the next page from the `Link` header. */
function nextCursor({ headers }: TransportResponse): { readonly cursor?: string } {
  const [, cursor] = NEXT_CURSOR.exec(String(headers['link'])) ?? [];
  return cursor === undefined ? {} : { cursor };
}
