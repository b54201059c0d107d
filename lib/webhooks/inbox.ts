import { Problem } from '../contract/problem.ts';
import type { ItemStore } from '../storage/port.ts';
import { accepting } from './changes.ts';
import type { Delivery, Inbox } from './delivery.ts';
import { bodyHashOf, readState, stateKey } from './records.ts';

/** What an inbox takes from outside. */
export interface InboxOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The inbox on a store: one batch a delivery, whose condition is that nobody has its id. */
export function inboxOn(store: ItemStore, { now }: InboxOptions): Inbox {
  return {
    async accept(delivery) {
      for (let expired: number | undefined; ; ) {
        const { ok } = await store.commit({ writes: accepting(delivery, now(), expired) });
        if (ok) return 'accepted';
        const known = await store.read(stateKey(delivery));
        const isLive = known && (known.expiresAtMs ?? Number.POSITIVE_INFINITY) > now();
        if (isLive) return repeated(delivery, readState(known.data).bodyHash);
        expired = known?.version;
      }
    },
  };
}

/** @throws {Problem} `idempotency-key-reused` where the sender gave an id of his own to another message */
function repeated({ body }: Delivery, bodyHash: string): 'repeated' {
  if (bodyHashOf(body) === bodyHash) return 'repeated';
  throw new Problem('idempotency-key-reused', { detail: 'Another message was sent with this id.' });
}
