import * as z from 'zod/mini';
import { crc32 } from '../contract/crc32.ts';
import { CREDENTIALS, type ItemReader, type Key, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/** Whose state a guard has: an API key, or a company. */
export type Guarded = { readonly kind: 'key' | 'company'; readonly id: string };

/**
 * The states of a guard. Segue deletes for its key or company only while it is `active`. The guard of a key is also
 * suspended while the key's company is.
 */
const GUARD_STATES = ['active', 'suspended', 'revoked'] as const;

/**
 * The record of a guard: one of the `SHARDS` copies of the state of a key or company, and of the limits of a key.
 */
const GuardRecord = recordOf(() => ({
  state: z.enum(GUARD_STATES),
  expiresAtUtc: z.optional(z.iso.datetime()),
  networks: z.optional(z.array(z.string())),
}));
export type GuardRecord = z.infer<typeof GuardRecord>;

/**
 * The number of guards of each key and company. A deletion checks one of them in its transaction, and DynamoDB lets one
 * transaction at a time use an item. With a single guard, concurrent deletions by one key would fail.
 * `bench/guards.ts` shows how many fail. A suspension changes the guards of a company and of its two keys in one
 * transaction, which has at most `MAX_OPERATIONS`.
 */
const SHARDS = 32;

/** Returns the storage key of the guard that a request checks. Each guard has a partition of its own. */
function guardKey({ kind, id }: Guarded, requestId: string): Key {
  return shardKey({ kind, id }, crc32(requestId) % SHARDS);
}

function shardKey({ kind, id }: Guarded, shard: number): Key {
  return { partition: `${CREDENTIALS}guard/${kind}/${id}/${shard}`, sort: 'guard' };
}

/** Reads the guard that a request checks. Returns `undefined` if the key or company does not exist. */
export async function findGuard(
  store: ItemReader,
  guarded: Guarded,
  requestId: string,
): Promise<(GuardRecord & { readonly version: number }) | undefined> {
  const item = await store.read(guardKey(guarded, requestId));
  return item && { ...GuardRecord.parse(item.data), version: item.version };
}

/**
 * Makes the write that checks the guard of a request: the store refuses the batch if the record of the key or company
 * has changed since it had this version.
 */
export function checkGuard(guarded: Guarded, requestId: string, version: number): Write {
  return { kind: 'check', key: guardKey(guarded, requestId), version };
}

/**
 * Makes the writes of all guards of a key or company. Commit them with each write of its record: then record and guards
 * always have the same version.
 * @param version the version of the record before the change; `undefined` for a new record
 */
export function guardWrites(guarded: Guarded, version: number | undefined, data: GuardRecord): Write[] {
  return Array.from({ length: SHARDS }, (_, shard): Write => {
    const content = { key: shardKey(guarded, shard), data };
    return version === undefined ? { kind: 'insert', ...content } : { kind: 'replace', version, ...content };
  });
}
