import * as z from 'zod/mini';
import { deliveriesIn, type StoredDelivery } from '../deliveries/queue.ts';
import type { Deadline } from '../service/deadline.ts';
import { decodeText, encodeText } from '../service/encoded-text.ts';
import type { ItemReader, ListedStore, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { DELIVERIES } from './delivery-queue.ts';
import {
  type DeadState,
  type DeliveryRef,
  type DeliveryState,
  type FetchedRecord,
  fetchedKey,
  MESSAGE_MS,
  type OpenState,
} from './delivery-records.ts';
import type { FetchEntry } from './fetch-entry.ts';
import type { MappingInput } from './mapping/mapper.ts';
import type { Source } from './sources.ts';

/** The most bytes of a chunk before base64. An item of DynamoDB has at most 400 KB. */
const CHUNK_BYTES = 262_144;
/** How many chunks one batch writes or erases: a transaction of DynamoDB has at most 4 MB. */
const CHUNKS_AT_ONCE = 8;

const Chunk = recordOf(() => ({ base64: z.string() }));

type Queue = Pick<ReturnType<typeof deliveriesIn<DeliveryRef, DeliveryState>>, 'change'>;
type Stored<State> = StoredDelivery<DeliveryRef, State>;

/** The dependencies of `fetchedFor`. */
export interface FetchDeps {
  readonly store: ListedStore;
  /** Opens the function that fetches entries. Only a source with a fetch needs it. */
  readonly openFetch: () => Promise<FetchEntry>;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The entry of a message, with the delivery that it is stored with. */
export interface FetchedEntry {
  readonly delivery: Stored<OpenState>;
  /** The entry as JSON; absent if the source needs none for this message, or the fetch failed. */
  readonly fetchedJson?: string | undefined;
  /** Whether this attempt has fetched the entry. */
  readonly isNew?: boolean;
  /** Why the fetch failed. */
  readonly error?: unknown;
}

/**
 * Returns the entry that an earlier attempt at a delivery has stored, or else fetches and stores it.
 * @returns `undefined` if another worker has claimed the delivery meanwhile
 */
export async function fetchedFor(
  { store, openFetch, now }: FetchDeps,
  claimed: Stored<OpenState>,
  { source: { fetch }, input }: { readonly source: Source; readonly input: MappingInput },
  deadline: Deadline,
): Promise<FetchedEntry | undefined> {
  if (!fetch) return { delivery: claimed };
  const queue = deliveriesIn(DELIVERIES, store, now);
  const known = await readFetched(store, claimed.ref, claimed.state);
  if (known !== undefined) return { delivery: claimed, fetchedJson: known };
  const delivery = await withoutFetched(queue, claimed);
  if (!delivery) return undefined;
  try {
    const fetchEntry = await openFetch();
    const fetchedJson = await fetchEntry(fetch, input, { nowMs: delivery.state.receivedAtMs, deadline });
    if (fetchedJson === undefined) return { delivery };
    const stored = await storeFetched(queue, delivery, fetchedJson, now());
    return stored && { delivery: stored, fetchedJson, isNew: true };
  } catch (error) {
    return { delivery, error };
  }
}

/** Erases what an earlier fetch has stored, if anything. @returns `undefined` if another worker has the delivery */
async function withoutFetched(queue: Queue, delivery: Stored<OpenState>): Promise<Stored<OpenState> | undefined> {
  if (!delivery.state.fetched) return delivery;
  const left = await eraseFetched(queue, delivery);
  if (!left) return undefined;
  const { fetched: _, ...state } = left.delivery.state;
  return queue.change<OpenState>(left.delivery, state, left.writes);
}

/**
 * Stores a fetched entry, compressed, with its delivery. Each batch has the state of the delivery too, so a worker that
 * has lost its lease stores nothing.
 * @param json the entry as JSON
 * @returns the delivery after the change; `undefined` if another worker has claimed it meanwhile
 */
async function storeFetched(
  queue: Queue,
  delivery: Stored<OpenState>,
  json: string,
  nowMs: number,
): Promise<Stored<OpenState> | undefined> {
  const { encoding, bytes, length } = await encodeText(json);
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  const insert = (chunk: number): Write => ({
    kind: 'insert',
    key: fetchedKey(delivery.ref, chunk),
    data: { base64: Buffer.from(chunkOf(bytes, chunk)).toString('base64') },
    expiresAtMs: delivery.state.receivedAtMs + MESSAGE_MS,
    // A delivery with this id may have expired, and the store may still have its chunks.
    replacesExpiredAtMs: nowMs,
  });
  let stored: Stored<OpenState> | undefined = delivery;
  for (let from = 0; stored && from < count; from += CHUNKS_AT_ONCE) {
    const chunks = Math.min(from + CHUNKS_AT_ONCE, count);
    const fetched: FetchedRecord = { encoding, length, chunks, isWhole: chunks === count };
    stored = await queue.change(stored, { ...stored.state, fetched }, range(from, chunks).map(insert));
  }
  return stored;
}

function chunkOf(bytes: Uint8Array, chunk: number): Uint8Array {
  return bytes.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
}

/** Reads a stored entry as JSON; `undefined` if nothing whole is stored. */
export async function readFetched(
  store: ItemReader,
  ref: DeliveryRef,
  { fetched }: Pick<OpenState | DeadState, 'fetched'>,
): Promise<string | undefined> {
  if (!fetched?.isWhole) return undefined;
  const { encoding, length, chunks } = fetched;
  const items = await Promise.all(range(0, chunks).map((chunk) => store.read(fetchedKey(ref, chunk))));
  if (items.includes(undefined)) return undefined;
  const bytes = Buffer.concat(items.map((item) => Buffer.from(Chunk.parse(item?.data).base64, 'base64')));
  return Buffer.from(decodeText({ encoding, bytes, length })).toString();
}

/**
 * Erases what is stored of a fetched entry, except the chunks that one batch can erase.
 * @param fields what else to change in the state, if chunks are left after the first batch
 * @returns the delivery after the change, and the writes that erase the rest; `undefined` if another worker or command
 * has changed the delivery meanwhile
 */
export async function eraseFetched<State extends OpenState | DeadState>(
  queue: Queue,
  delivery: Stored<State>,
  fields: Partial<State> = {},
): Promise<{ readonly delivery: Stored<State>; readonly writes: readonly Write[] } | undefined> {
  const { fetched } = delivery.state;
  if (!fetched) return { delivery, writes: [] };
  const from = Math.max(0, fetched.chunks - CHUNKS_AT_ONCE);
  const writes = range(from, fetched.chunks).map(
    (chunk): Write => ({ kind: 'remove', key: fetchedKey(delivery.ref, chunk), version: 1, erase: true }),
  );
  if (from === 0) return { delivery, writes };
  const left = { ...fetched, chunks: from, isWhole: false };
  const changed = await queue.change<State>(delivery, { ...delivery.state, ...fields, fetched: left }, writes);
  return changed && eraseFetched(queue, changed, fields);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
