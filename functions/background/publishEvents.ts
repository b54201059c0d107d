import { events } from '#platform';
import { eventPublisher } from '../../lib/background/events.ts';

export const handler = eventPublisher(events(), { now: Date.now });
