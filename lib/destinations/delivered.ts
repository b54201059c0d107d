import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { retentionMsOf } from '../contract/retentions.ts';
import { eachItem, type Item, type Key, type ListedStore, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import type { ResultRef } from './deliveries.ts';

/*
 * What was last delivered of a language to a destination: for each segment a short hash of its id and translation, with a
 * random salt. It tells which translations have changed since, and nothing of what they say.
 */

/** The stored hashes of some segments. */
const DeliveredRecord = recordOf(() => ({
  /** The salt, in base64. All records of one delivery have the same. */
  salt: z.string(),
  /** The hashes one after the other, in base64. */
  hashes: z.string(),
}));

/** The length of a hash in bytes. Two translations of a segment have the same one once in 2^64 times. */
const HASH_BYTES = 8;
const SALT_BYTES = 16;
/** For how many hashes there is room at first. The room doubles when it is used up. */
const FIRST_HASHES = 64;
/** The most hashes in one record. DynamoDB charges by size, and an item must be small in every store. */
const MAX_HASHES = 5_000;
const PAGE = { limit: 100, maxBytes: 4_000_000 };

type LanguageRef = Pick<ResultRef, 'destination' | 'projectId' | 'languageId'>;

/** Returns the partition of what was delivered to a destination. */
function partitionOf({ destination }: Pick<ResultRef, 'destination'>): string {
  return `result-delivered/${destination}`;
}

function projectPrefix({ projectId }: Pick<ResultRef, 'projectId'>): string {
  return `${projectId}/`;
}

function keyOf(ref: LanguageRef, chunk: number): Key {
  const sort = `${projectPrefix(ref)}${ref.languageId}/${String(chunk).padStart(4, '0')}`;
  return { partition: partitionOf(ref), sort };
}

/** What was last delivered of a language, and what is delivered now. */
export interface Delivered {
  /**
   * Notes a translation that is delivered now.
   * @param translation `null` if the segment has none
   * @returns whether it differs from the one that was last delivered; `true` if none was
   */
  add(segmentId: number, translation: string | null): boolean;
  /** Makes the writes that remember what was noted, in place of what was delivered before. */
  writes(nowMs: number): Write[];
}

/** Reads what was last delivered of a language to a destination. */
export async function readDelivered(store: ListedStore, ref: LanguageRef): Promise<Delivered> {
  const before: Item[] = [];
  const known = new Set<string>();
  let knownSalt: Buffer | undefined;
  for await (const item of eachItem(store, partitionOf(ref), `${projectPrefix(ref)}${ref.languageId}/`, PAGE)) {
    const { salt, hashes } = DeliveredRecord.parse(item.data);
    before.push(item);
    knownSalt = Buffer.from(salt, 'base64');
    const bytes = Buffer.from(hashes, 'base64');
    for (let from = 0; from < bytes.length; from += HASH_BYTES)
      known.add(bytes.toString('latin1', from, from + HASH_BYTES));
  }
  const salt = randomBytes(SALT_BYTES);
  let noted = Buffer.alloc(FIRST_HASHES * HASH_BYTES);
  let length = 0;
  return {
    add(segmentId, translation) {
      if (length === noted.length) noted = Buffer.concat([noted, Buffer.alloc(noted.length)]);
      length += hashOf(salt, segmentId, translation).copy(noted, length);
      return !knownSalt || !known.has(hashOf(knownSalt, segmentId, translation).toString('latin1'));
    },
    writes(nowMs) {
      const writes: Write[] = [];
      for (let from = 0; from < length; from += MAX_HASHES * HASH_BYTES) {
        const hashes = noted.toString('base64', from, Math.min(length, from + MAX_HASHES * HASH_BYTES));
        const data = { salt: salt.toString('base64'), hashes };
        writes.push({
          kind: 'put',
          key: keyOf(ref, writes.length),
          data,
          expiresAtMs: nowMs + retentionMsOf('delivered'),
        });
      }
      const kept = new Set(writes.map((write) => write.key.sort));
      return [...writes, ...before.filter(({ sort }) => !kept.has(sort)).map(erasing)];
    },
  };
}

function hashOf(salt: Buffer, segmentId: number, translation: string | null): Buffer {
  const hash = createHash('sha256').update(salt).update(`${segmentId} `);
  if (translation !== null) hash.update('=').update(translation);
  return hash.digest().subarray(0, HASH_BYTES);
}

function erasing({ partition, sort, version }: Item): Write {
  return { kind: 'remove', key: { partition, sort }, version, erase: true };
}

/** How many items are erased in one commit. */
const ERASED_AT_ONCE = 25;

/** Erases what was delivered of a project to a destination, or of all its projects. Repeating it changes nothing. */
export async function forgetDelivered(
  store: ListedStore,
  ref: Pick<ResultRef, 'destination'> & Partial<Pick<ResultRef, 'projectId'>>,
): Promise<void> {
  const { projectId } = ref;
  const prefix = projectId === undefined ? '' : projectPrefix({ projectId });
  for (;;) {
    const { items } = await store.list(partitionOf(ref), { prefix, limit: ERASED_AT_ONCE, maxBytes: PAGE.maxBytes });
    if (items.length === 0) return;
    // If another writer was faster, the next round finds what is left.
    await store.commit({ writes: items.map(erasing) });
  }
}
