import * as z from 'zod/mini';
import { remember } from '../service/recent.ts';
import { CREDENTIALS, type ItemReader, type ItemStore, type Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

const HOUR_MS = 3_600_000;
/** Without time left, the store does not retry. */
const NO_RETRY = { remainingMs: () => 0 };

const LastUse = recordOf(() => ({ usedAtUtc: z.iso.datetime() }));

function lastUseKey(keyId: string): Key {
  return { partition: `${CREDENTIALS}last-use/${keyId}`, sort: 'last-use' };
}

/** Records that an API key, or a token that was issued for it, is used now. Never rejects. */
export type RecordUse = (keyId: string) => Promise<void>;

/**
 * Creates a `RecordUse` that writes the last use of a key at most once an hour. A failure of the store is ignored: the
 * request must not fail for it, and the next use in another process writes the record.
 * @param now returns the current time, in milliseconds since 1970
 */
export function lastUseIn(store: ItemStore, now: () => number): RecordUse {
  const recorded = new Map<string, number>();
  return async (keyId) => {
    const hour = Math.floor(now() / HOUR_MS);
    if (recorded.get(keyId) === hour) return;
    remember(recorded, keyId, hour);
    const data = { usedAtUtc: new Date(hour * HOUR_MS).toISOString() };
    await store.commit({ writes: [{ kind: 'put', key: lastUseKey(keyId), data }], deadline: NO_RETRY }).catch(() => {});
  };
}

/** Reads the hour in which a key was last used, in ISO 8601. Returns `undefined` if it was never used. */
export async function findLastUse(store: ItemReader, keyId: string): Promise<string | undefined> {
  const item = await store.read(lastUseKey(keyId));
  return item && LastUse.parse(item.data).usedAtUtc;
}
