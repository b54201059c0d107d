import { httpFunction } from '../lib/http/http-function.ts';
import { createEventSecret } from '../lib/http/operations/create-event-secret.ts';
import { listEvents } from '../lib/http/operations/list-events.ts';
import { openEventSecrets, openFeed } from './compose/events.ts';

const feed = await openFeed();
const options = { now: Date.now };

export const handler = httpFunction('events', {
  listEvents: listEvents(feed, options),
  createEventSecret: createEventSecret(openEventSecrets(), options),
});
