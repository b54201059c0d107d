import * as z from 'zod/mini';
import { eventBridgeClient, putEvents } from '../../lib/aws/event-bridge.ts';
import type { Events } from '../../lib/background/events.ts';
import { items } from './aws-items.ts';

/** Where events are recorded, and the bus that they are put onto. */
export function events(): Events {
  const { SEGUE_EVENT_BUS } = z.object({ SEGUE_EVENT_BUS: z.string() }).parse(process.env);
  const client = eventBridgeClient();
  const records = items();
  return {
    read: (key) => records.read(key),
    publish: (published) => putEvents(SEGUE_EVENT_BUS, client, published),
  };
}
