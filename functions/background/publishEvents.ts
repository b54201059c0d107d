import { events } from '#platform';
import { eventPublisher } from '../../lib/doors/background/events.ts';

export const handler = eventPublisher(events(), { now: Date.now });
