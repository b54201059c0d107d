import { httpFunction } from '../lib/http/http-function.ts';
import { createEventSecret } from '../lib/operations/create-event-secret.ts';
import { listEvents } from '../lib/operations/list-events.ts';
import { openEventSecrets, openFeed } from './compose/events.ts';

const feed = await openFeed();
const options = { now: Date.now };

export const handler = httpFunction([listEvents(feed, options), createEventSecret(openEventSecrets(), options)]);
