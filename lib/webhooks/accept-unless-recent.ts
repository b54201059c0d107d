import * as z from 'zod/mini';
import { isLive } from '../deliveries/queue.ts';
import type { ItemStore, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { acceptWrites } from './accept-writes.ts';
import { type Delivery, messageData, stateKey } from './delivery-records.ts';

/** What equal messages have in common, and for how long they count as one message. */
export interface Recent {
  readonly key: string;
  /** In milliseconds, from the first message. */
  readonly forMs: number;
}

/** The delivery of a message: a new one, or that of the equal message before. */
export interface Acceptance {
  readonly id: string;
  readonly isRepeated: boolean;
}

/** The note of a recent message. It expires when an equal message is a new one. */
const RecentNote = recordOf(() => ({ id: z.string() }));

interface Accepting {
  readonly delivery: Delivery;
  readonly recent: Recent;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Does what `Inbox.acceptUnlessRecent` says. The note of the message is written with the delivery, in one batch. */
export async function acceptUnlessRecent(store: ItemStore, { delivery, recent, now }: Accepting): Promise<Acceptance> {
  const data = await messageData(delivery);
  const key = { ...stateKey({ source: delivery.source, id: recent.key }), sort: 'recent' };
  for (;;) {
    const nowMs = now();
    const note = { key, data: { id: delivery.id }, expiresAtMs: nowMs + recent.forMs, replacesExpiredAtMs: nowMs };
    const writes: Write[] = [...acceptWrites(delivery, data, nowMs, undefined), { kind: 'insert', ...note }];
    if ((await store.commit({ writes })).ok) return { id: delivery.id, isRepeated: false };
    const known = await store.read(key);
    if (known && isLive(known, nowMs)) return { id: RecentNote.parse(known.data).id, isRepeated: true };
  }
}
