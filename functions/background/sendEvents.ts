import { sendHandler } from '../../lib/events/event-sender.ts';
import { openEventSender } from '../compose/events.ts';

export const handler = sendHandler(openEventSender(), { now: Date.now });
