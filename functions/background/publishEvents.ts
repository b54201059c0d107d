import { eventPublisher } from '../../lib/background/event-publisher.ts';
import { events } from '../compose/aws-events.ts';

export const handler = eventPublisher(events(), { now: Date.now });
