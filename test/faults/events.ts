import { eventDeliveryOpener } from '../../lib/events/deliveries.ts';
import { eventSender } from '../../lib/events/event-sender.ts';
import { outboxMover } from '../../lib/events/feed-positions.ts';
import type { PublicTransport } from '../../lib/service/http-client/public-transport.ts';
import { answered } from '../support/answered.ts';
import type { World } from './world.ts';

/** More time than the work needs. */
const ENOUGH = { remainingMs: () => 60_000 };
const SECRET = 'whsec_bmV3IHNlY3JldCBvZiB0d2VudHktZm91ciBieXRlcw==';

/** Moves the events of a company from the outbox to the feed, and opens their deliveries. */
export async function moveEvents({ storage: store, now }: World, companyId: string): Promise<void> {
  const move = outboxMover({ store, now, openDelivery: eventDeliveryOpener(store, now) });
  while ((await move(companyId, ENOUGH)) !== 'all') {}
}

/** Makes an attempt at each event that is due, until none is due. @param send sends a message to a receiver */
export async function sendEvents({ storage: store, now }: World, send: PublicTransport): Promise<void> {
  const sender = eventSender({ store, now, send, random: () => 0.5, secretsOf: async () => [SECRET] });
  await sender.workOnDue(ENOUGH);
}

/** Sends all events of a company to receivers that take them. */
export async function deliverEvents(world: World, companyId: string): Promise<void> {
  await moveEvents(world, companyId);
  await sendEvents(world, async () => answered(204));
}
