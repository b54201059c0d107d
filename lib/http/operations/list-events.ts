import { LIMITS } from '../../contract/limits.ts';
import { routeOf } from '../../contract/routes.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { EventFeed } from '../../service/event-feed.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { nextPageLink } from '../page-link.ts';

/** Makes the handler of `GET /events`. */
export function listEvents(feed: EventFeed, options: OperationOptions): HttpHandler {
  return operation('listEvents', options, async (request) => {
    const { after, eventLimit: limit } = request.parameters;
    const { events, more } = await feed.page({ after, limit: limit ?? LIMITS.eventsMax }, callContext(request));
    const last = events.at(-1);
    const url = request.baseUrl + routeOf('listEvents').path;
    return {
      status: 200,
      ...(more && last && { headers: nextPageLink(url, { after: last.id, limit }) }),
      json: await encodeText(JSON.stringify(events)),
    };
  });
}
