import { publish } from '#platform';
import { eventPublisher } from '../../lib/doors/background/events.ts';

export const handler = eventPublisher(publish());
