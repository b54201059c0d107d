import { events } from '#platform';
import { eventPublisher } from '../../lib/background/event-publisher.ts';

export const handler = eventPublisher(events(), { now: Date.now });
