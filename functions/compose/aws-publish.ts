import * as z from 'zod/mini';
import type { Publish } from '../../lib/doors/background/events.ts';
import { eventBridgeClient, putEvents } from '../../lib/events/event-bridge.ts';

/** What puts events onto the bus. */
export function publish(): Publish {
  const { SEGUE_EVENT_BUS } = z.object({ SEGUE_EVENT_BUS: z.string() }).parse(process.env);
  const client = eventBridgeClient();
  return (events) => putEvents(SEGUE_EVENT_BUS, client, events);
}
