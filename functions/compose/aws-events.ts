import { eventBridgeClient, putEvents } from '../../lib/aws/event-bridge.ts';
import type { Events } from '../../lib/background/event-publisher.ts';
import { companyIn } from '../../lib/idempotency/project-item.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import { items } from './aws.ts';
import { openMover } from './events.ts';
import { required } from './settings.ts';

/** The time for moving the events of one company, in milliseconds. */
const MOVE_MS = 60_000;

/** Returns the functions that move events, that read a recorded event from the table, and that publish events to the event bus. */
export function events(): Events {
  const bus = required('SEGUE_EVENT_BUS');
  const busClient = eventBridgeClient();
  const records = items();
  const move = openMover();
  return {
    async move(partition) {
      const isDone = await move(companyIn(partition), deadlineAt(Date.now() + MOVE_MS, Date.now));
      if (!isDone) throw new RangeError('The outbox of a company is not empty yet');
    },
    read: (key) => records.read(key),
    publish: (published) => putEvents(bus, busClient, published),
  };
}
