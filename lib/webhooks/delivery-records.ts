import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { type Fault, isFaultCode } from '../contract/faults.ts';
import { isProblemType, type ProblemType } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { Key } from '../storage/port.ts';

/** A verified message of a source. */
export interface Delivery {
  /**
   * A SHA-256 in base64url of what the signature covers. The same message always has the same id. Two messages share an id
   * only if their sender signs one id for both.
   */
  readonly id: string;
  /** The name of its source. */
  readonly source: string;
  readonly companyId: string;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
  /** By lower-case names, without signatures and credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that were received. */
  readonly body: Uint8Array;
}

/** Identifies a delivery. */
export type DeliveryRef = Pick<Delivery, 'source' | 'id'>;

/** How long a delivery's id is known after its end, in milliseconds. Longer than senders retry. */
export const KNOWN_MS = retentionMsOf('delivery');
/** How long a message is kept that was not processed with success, from its receipt, in milliseconds. */
export const MESSAGE_MS = retentionMsOf('message');

/** A problem type in a stored record. */
const StoredProblemType = z.custom<ProblemType>((value) => typeof value === 'string' && isProblemType(value));

/** Faults in a stored record. */
const StoredFaults = z.array(
  z.object({
    pointer: z.string(),
    code: z.custom<Fault['code']>(isFaultCode),
    detail: z.string(),
    allowed: z.exactOptional(z.array(z.union([z.string(), z.number()]))),
  }),
);

/** The first faults, up to a limit, in their stored form. `undefined` if there are none. */
export function storedFaults(
  faults: readonly Fault[] | undefined,
  limit: number,
): z.infer<typeof StoredFaults> | undefined {
  const stored = faults
    ?.slice(0, limit)
    .map(({ allowed, ...fault }) => ({ ...fault, ...(allowed && { allowed: [...allowed] }) }));
  return stored && stored.length > 0 ? stored : undefined;
}

/** A command of a delivery, without its content. */
const CommandRecord = z.discriminatedUnion('state', [
  /** Nothing was done for it yet. */
  z.strictObject({ state: z.literal('waiting'), id: z.string() }),
  /** It may have run: an attempt was cut off, or its outcome is unknown. */
  z.strictObject({ state: z.literal('open'), id: z.string() }),
  /** The result has ids and numbers; null if the project was deleted since. */
  z.strictObject({ state: z.literal('done'), id: z.string(), result: z.unknown() }),
  /** Nothing was done for it. */
  z.strictObject({
    state: z.literal('refused'),
    id: z.string(),
    problem: StoredProblemType,
    detail: z.string(),
    /** With pointers into the command. All records of a delivery have at most `LIMITS.faults` of them together. */
    errors: z.optional(StoredFaults),
  }),
]);
export type CommandRecord = z.infer<typeof CommandRecord>;

/** The problem of a failed delivery, without content of the message. */
const DeliveryFailure = z.strictObject({
  problem: StoredProblemType,
  detail: z.string(),
  errors: z.optional(StoredFaults),
});
export type DeliveryFailure = z.infer<typeof DeliveryFailure>;

/** In the order in which they run; absent before the first one started. */
const Commands = z.readonly(z.array(CommandRecord));

const COMMON = {
  companyId: z.string(),
  receivedAtMs: z.number(),
  /** SHA-256 of the body. */
  bodyHash: z.string(),
  /** How many attempts started since it was received or redriven. */
  attempts: z.int(),
};

/** The state of a delivery. Its message is an item of its own, which is erased when the delivery is done. */
const DeliveryState = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('open'),
    ...COMMON,
    /** When it was received or redriven, in milliseconds since 1970. */
    openedAtMs: z.number(),
    /** When the next attempt is due; during an attempt, when its lease expires. */
    dueMs: z.number(),
    /** The failure of the last attempt that ended. */
    failure: z.optional(DeliveryFailure),
    /** How many attempts failed because the mapping took too much time or memory. */
    overLimit: z.optional(z.int()),
    commands: z.optional(Commands),
  }),
  z.strictObject({
    kind: z.literal('done'),
    ...COMMON,
    endedAtMs: z.number(),
    /** Ids and numbers; null if the mapping gave no command, an array if it gave an array. */
    result: z.unknown(),
  }),
  z.strictObject({
    kind: z.literal('dead'),
    ...COMMON,
    endedAtMs: z.number(),
    failure: DeliveryFailure,
    commands: z.optional(Commands),
  }),
  /** A dead letter whose message was erased by `drop`. */
  z.strictObject({ kind: z.literal('dropped'), ...COMMON, endedAtMs: z.number() }),
]);
export type DeliveryState = z.infer<typeof DeliveryState>;
export type OpenState = Extract<DeliveryState, { kind: 'open' }>;
export type DeadState = Extract<DeliveryState, { kind: 'dead' }>;

/** The fields that every state keeps. */
export function commonOf({ companyId, receivedAtMs, bodyHash, attempts }: DeliveryState) {
  return { companyId, receivedAtMs, bodyHash, attempts };
}

/** @throws if the data has another shape */
export function readState(data: unknown): DeliveryState {
  return DeliveryState.parse(data);
}

/** Headers may hold as much about people as a body, so both are in the one item that is erased. */
const StoredMessage = z.strictObject({ headers: z.record(z.string(), z.string()), body: z.string() });

export function messageData({ headers, body }: Pick<Delivery, 'headers' | 'body'>): z.infer<typeof StoredMessage> {
  return { headers: { ...headers }, body: Buffer.from(body).toString('base64') };
}

/** @throws if the data has another shape */
export function readMessage(data: unknown): Pick<Delivery, 'headers' | 'body'> {
  const { headers, body } = StoredMessage.parse(data);
  return { headers, body: Buffer.from(body, 'base64') };
}

export function bodyHashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}

const DELIVERIES = 'delivery/';
const STATE = 'state';

/** Each delivery has a partition of its own, so that the store can accept any number at once. */
function partitionOf({ source, id }: DeliveryRef): string {
  return `${DELIVERIES}${source}/${id}`;
}

export function stateKey(ref: DeliveryRef): Key {
  return { partition: partitionOf(ref), sort: STATE };
}

export function messageKey(ref: DeliveryRef): Key {
  return { partition: partitionOf(ref), sort: 'message' };
}

/** The delivery whose state has a key; `undefined` for any other key. */
export function deliveryAt({ partition, sort }: Key): DeliveryRef | undefined {
  if (sort !== STATE || !partition.startsWith(DELIVERIES)) return undefined;
  return refIn(partition.slice(DELIVERIES.length));
}

/** The list of open deliveries has several partitions, since one could not take all writes. */
export const SHARDS = 16;
/** In the year 2286. All times before it have as many digits. */
const LAST_MS = 9_999_999_999_999;

export const openPartition = (shard: number) => `open-deliveries/${String(shard)}`;

/** The key of an open delivery in the list. Lists begin with the last key, so the first due delivery has the last key. */
export function dueKey(ref: DeliveryRef, dueMs: number): Key {
  const sort = `${String(LAST_MS - dueMs).padStart(13, '0')}/${ref.source}/${ref.id}`;
  return { partition: openPartition(ref.id.charCodeAt(0) % SHARDS), sort };
}

/** An open delivery in the list. */
export type DueDelivery = DeliveryRef & { readonly dueMs: number };

export function readDueKey(sort: string): DueDelivery {
  const slash = sort.indexOf('/');
  return { ...refIn(sort.slice(slash + 1)), dueMs: LAST_MS - Number(sort.slice(0, slash)) };
}

export const DEAD_LETTERS = 'dead-letters';

/** The key of a dead letter in the list, which is in the order of time. */
export function deadLetterKey({ source, id }: DeliveryRef, endedAtMs: number): Key {
  return { partition: DEAD_LETTERS, sort: `${String(endedAtMs).padStart(13, '0')}/${source}/${id}` };
}

export function readDeadLetterKey(sort: string): DeliveryRef {
  return refIn(sort.slice(sort.indexOf('/') + 1));
}

/** The name of a source has no slash. */
function refIn(text: string): DeliveryRef {
  const slash = text.indexOf('/');
  return { source: text.slice(0, slash), id: text.slice(slash + 1) };
}
