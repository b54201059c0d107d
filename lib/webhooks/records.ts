import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { isProblemType, type ProblemType } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { Key } from '../storage/port.ts';
import { CommandRecord } from './command-records.ts';
import type { Delivery } from './delivery.ts';
import { KeptFaults } from './kept-faults.ts';

/** Which delivery of which source. */
export type DeliveryRef = Pick<Delivery, 'source' | 'id'>;

/** How long a delivery is known by its id after its work has ended: longer than senders send again. */
export const KNOWN_MS = retentionMsOf('delivery');
/** How long a message is kept that has not been worked on with success, counted from its receipt. */
export const MESSAGE_MS = retentionMsOf('message');

/** Why a delivery came to nothing: a problem without content. */
const Failure = z.strictObject({
  problem: z.custom<ProblemType>((value) => typeof value === 'string' && isProblemType(value)),
  detail: z.string(),
  errors: z.optional(KeptFaults),
});
export type Failure = z.infer<typeof Failure>;

/** In the order in which they are carried out; absent before the first of them was begun. */
const Commands = z.readonly(z.array(CommandRecord));

const COMMON = {
  companyId: z.string(),
  receivedAtMs: z.number(),
  /** SHA-256 of the body. */
  bodyHash: z.string(),
  /** How often it was begun to be worked on, since it was received or opened again. */
  attempts: z.int(),
};

/** What is known of a delivery. Its message is an item of its own, which goes when the work has ended well. */
const State = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('open'),
    ...COMMON,
    /** Since when, in milliseconds since 1970: its receipt, or when it was opened again. */
    openedAtMs: z.number(),
    /** When it is to be worked on next; while somebody works on it, when he will have ended. */
    dueMs: z.number(),
    /** What the last attempt that ended came to. */
    failure: z.optional(Failure),
    /** How many attempts failed because the mapping took too much time or memory. */
    overLimit: z.optional(z.int()),
    commands: z.optional(Commands),
  }),
  z.strictObject({
    kind: z.literal('done'),
    ...COMMON,
    endedAtMs: z.number(),
    /** Ids and numbers; null where the message asked for nothing, an array if the mapping gave one. */
    result: z.unknown(),
  }),
  z.strictObject({
    kind: z.literal('dead'),
    ...COMMON,
    endedAtMs: z.number(),
    failure: Failure,
    commands: z.optional(Commands),
  }),
  /** A dead letter that was given up. */
  z.strictObject({ kind: z.literal('dropped'), ...COMMON, endedAtMs: z.number() }),
]);
export type State = z.infer<typeof State>;
export type Open = Extract<State, { kind: 'open' }>;
export type Dead = Extract<State, { kind: 'dead' }>;

/** @throws where the store has something else */
export function readState(data: unknown): State {
  return State.parse(data);
}

/** Headers may hold as much about people as a body: both are in the one item that is erased. */
const Message = z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() });

export function messageData({ headers, body }: Pick<Delivery, 'headers' | 'body'>): z.infer<typeof Message> {
  return { headers: { ...headers }, body: Buffer.from(body).toString('base64') };
}

/** @throws where the store has something else */
export function readMessage(data: unknown): Pick<Delivery, 'headers' | 'body'> {
  const { headers, body } = Message.parse(data);
  return { headers, body: Buffer.from(body, 'base64') };
}

export function bodyHashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}

const DELIVERIES = 'delivery/';
const STATE = 'state';

/** Each delivery has a partition of its own: as many can be taken in at once as the store takes. */
function partitionOf({ source, id }: DeliveryRef): string {
  return `${DELIVERIES}${source}/${id}`;
}

export function stateKey(ref: DeliveryRef): Key {
  return { partition: partitionOf(ref), sort: STATE };
}

export function messageKey(ref: DeliveryRef): Key {
  return { partition: partitionOf(ref), sort: 'message' };
}

/** The delivery whose state is at a key; `undefined` where something else is. */
export function deliveryAt({ partition, sort }: Key): DeliveryRef | undefined {
  if (sort !== STATE || !partition.startsWith(DELIVERIES)) return undefined;
  return refIn(partition.slice(DELIVERIES.length));
}

/** Several partitions, since one alone would have to take every delivery. */
export const SHARDS = 16;
/** Before the year 2286, in digits as many as every other time has. */
const LAST_MS = 9_999_999_999_999;

export const openPartition = (shard: number) => `open-deliveries/${String(shard)}`;

/** Where it is marked that a delivery is open: lists begin with the last, so the one that is due first sorts last. */
export function markKey(ref: DeliveryRef, dueMs: number): Key {
  const sort = `${String(LAST_MS - dueMs).padStart(13, '0')}/${ref.source}/${ref.id}`;
  return { partition: openPartition(ref.id.charCodeAt(0) % SHARDS), sort };
}

export const LETTERS = 'dead-letters';

/** Where a dead letter is listed, in the order of time. */
export function letterKey({ source, id }: DeliveryRef, endedAtMs: number): Key {
  return { partition: LETTERS, sort: `${String(endedAtMs).padStart(13, '0')}/${source}/${id}` };
}

/** The delivery that a mark or a letter is about, and when a mark is due. */
export function readMark(sort: string): DeliveryRef & { readonly dueMs: number } {
  const slash = sort.indexOf('/');
  return { ...refIn(sort.slice(slash + 1)), dueMs: LAST_MS - Number(sort.slice(0, slash)) };
}

/** No name of a source has a slash. */
function refIn(text: string): DeliveryRef {
  const slash = text.indexOf('/');
  return { source: text.slice(0, slash), id: text.slice(slash + 1) };
}
