import * as z from 'zod/mini';
import { EventData, PublishedEvent } from '../contract/event.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Route } from '../contract/routes.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { nextPageLink } from '../http/page-link.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { EventFeed } from '../service/event-feed.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { READ } from './route-parts.ts';

export const listEventsRoute = {
  ...READ,
  id: 'listEvents',
  function: 'events',
  path: '/events',
  summary: 'List events',
  query: ['after', 'eventLimit'],
  problems: ['events-expired', 'unexpected-body'],
} as const satisfies Route;

/** Makes the handler of `GET /events`. */
export function listEvents(feed: EventFeed, options: OperationOptions): OperationHandler {
  return operation(listEventsRoute, options, async (request) => {
    const { after, eventLimit: limit } = request.parameters;
    const { events, more } = await feed.page({ after, limit: limit ?? LIMITS.eventsMax }, callContext(request));
    const last = events.at(-1);
    const url = request.baseUrl + listEventsRoute.path;
    return {
      status: 200,
      ...(more && last && { headers: nextPageLink(url, { after: last.id, limit }) }),
      json: await encodeText(JSON.stringify(events)),
    };
  });
}

export const listEventsDocs = (): OperationDocs => ({
  tag: 'Events',
  description:
    'Returns the events of the company of the last 30 days, oldest first. To continue, set `after` to the id of the last event that you processed.',
  answers: [
    {
      status: 200,
      description: 'Events that follow each other without gaps, oldest first. An empty list if there are no more.',
      schema: z.array(PublishedEvent),
      example: [example.event],
      headers: ['Link'],
    },
  ],
  schemas: { Event: PublishedEvent, EventData },
  clientTypes: { Event: 'SegueEvent' },
});
