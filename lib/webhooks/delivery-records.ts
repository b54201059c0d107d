import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { type Fault, isFaultCode } from '../contract/faults.ts';
import { isProblemType, type ProblemType } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import { ENDED, EVERY, OPEN } from '../deliveries/queue.ts';
import { PackedText, unpackBytes } from '../records/packed-text.ts';
import { encodeBytes } from '../service/encoded-text.ts';
import type { Key, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/** A message of a webhook source, whose signature was verified. */
export interface Delivery {
  /**
   * A SHA-256 in base64url of the company, the source, and what identifies the message, such as its id or its body. A
   * repeated message has the id of the first.
   */
  readonly id: string;
  /** The name of the webhook source. */
  readonly source: string;
  readonly companyId: string;
  /** When the message was received, in milliseconds since 1970. */
  readonly receivedAtMs: number;
  /** The trace of the request that brought the message. */
  readonly traceId?: string | undefined;
  /** The headers by lower-case names, without signatures, credentials and headers of proxies. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body, as they were received. */
  readonly body: Uint8Array;
}

/** The source and id that identify a delivery. */
export type DeliveryRef = Pick<Delivery, 'source' | 'id'>;

/** How long a delivery's id stays known after the delivery ended, in milliseconds. Senders stop retrying sooner. */
export const KNOWN_MS = retentionMsOf('delivery');
/** How long a message is kept if its delivery does not succeed, in milliseconds after its receipt. */
export const MESSAGE_MS = retentionMsOf('message');

/** The schema of a problem type in a stored record. */
const StoredProblemType = z.custom<ProblemType>((value) => typeof value === 'string' && isProblemType(value));

/** The schema of the faults in a stored record. */
const StoredFaults = z.array(
  z.object({
    pointer: z.string(),
    code: z.custom<Fault['code']>(isFaultCode),
    detail: z.string(),
    allowed: z.exactOptional(z.array(z.union([z.string(), z.number()]))),
  }),
);

/** Returns the first `limit` faults in their stored form; `undefined` if there are none. */
export function storedFaults(
  faults: readonly Fault[] | undefined,
  limit: number,
): z.infer<typeof StoredFaults> | undefined {
  const stored = faults
    ?.slice(0, limit)
    .map(({ allowed, ...fault }) => ({ ...fault, ...(allowed && { allowed: [...allowed] }) }));
  return stored && stored.length > 0 ? stored : undefined;
}

/** The record of one command of a delivery. It has no content of the command. */
const CommandRecord = z.discriminatedUnion('state', [
  /** The command has not run yet, or was refused before the delivery was redriven, with the problem of that time. */
  recordOf(() => ({
    state: z.literal('waiting'),
    id: z.string(),
    problem: z.optional(StoredProblemType),
    detail: z.optional(z.string()),
    errors: z.optional(StoredFaults),
  })),
  /** The command may have run: the attempt did not finish, or the outcome is unknown. */
  recordOf(() => ({ state: z.literal('open'), id: z.string() })),
  /** The command is done. Its result has only ids and numbers; it is null if the project has been deleted since. */
  recordOf(() => ({ state: z.literal('done'), id: z.string(), result: z.unknown() })),
  /** The command was refused, and changed nothing. */
  recordOf(() => ({
    state: z.literal('refused'),
    id: z.string(),
    problem: StoredProblemType,
    detail: z.string(),
    /** The faults, with pointers into the command. All records of a delivery together have at most `LIMITS.faults`. */
    errors: z.optional(StoredFaults),
  })),
]);
export type CommandRecord = z.infer<typeof CommandRecord>;

/** The failure of a delivery: its problem, without content of the message. */
const DeliveryFailure = recordOf(() => ({
  problem: StoredProblemType,
  detail: z.string(),
  errors: z.optional(StoredFaults),
}));
export type DeliveryFailure = z.infer<typeof DeliveryFailure>;

/** The schema of a delivery's command records, in the order in which the commands run. */
const Commands = z.readonly(z.array(CommandRecord));

/** The fields that a delivery has in every state. */
const COMMON = {
  ...EVERY,
  receivedAtMs: z.number(),
  /** The SHA-256 of the message's body, in base64url. */
  bodyHash: z.string(),
};

/**
 * What is stored of a fetched entry. The entry itself is in separate items: of a large one, each item has a chunk. Each
 * batch that changes the items changes this record too, so the record always says which items there are.
 */
const FetchedRecord = recordOf(() => ({
  encoding: z.enum(['gzip', 'identity']),
  /** The number of bytes before encoding. */
  length: z.int(),
  /** How many chunks are stored. */
  chunks: z.int(),
  /** Whether these are all chunks, and attempts use them. If not, they are erased before the next fetch. */
  isWhole: z.boolean(),
}));
export type FetchedRecord = z.infer<typeof FetchedRecord>;

/** The hashes of the custom ids that the commands name, after an attempt failed. */
const CustomIds = z.optional(z.array(z.string()));

/** The state of a delivery. The message is in a separate item, which is erased when the delivery is done. */
const DeliveryState = z.discriminatedUnion('kind', [
  recordOf(() => ({
    ...COMMON,
    ...OPEN,
    /** The failure of the last attempt that finished. */
    failure: z.optional(DeliveryFailure),
    /** How many attempts failed because the mapping took too much time or memory. */
    overLimit: z.optional(z.int()),
    /** Absent before the first command starts. */
    commands: z.optional(Commands),
    customIds: CustomIds,
    fetched: z.optional(FetchedRecord),
    /** The result, if all commands are done, and only chunks of the fetched entry are still to be erased. */
    finished: z.optional(recordOf(() => ({ result: z.unknown() }))),
  })),
  recordOf(() => ({
    kind: z.literal('done'),
    ...COMMON,
    ...ENDED,
    /** The result of the command, or an array of results if the mapping gave an array. Null if it gave no command. */
    result: z.unknown(),
  })),
  recordOf(() => ({
    kind: z.literal('dead'),
    ...COMMON,
    ...ENDED,
    failure: DeliveryFailure,
    commands: z.optional(Commands),
    customIds: CustomIds,
    fetched: z.optional(FetchedRecord),
  })),
  /** A dead letter whose message was erased with `drop`. */
  recordOf(() => ({ kind: z.literal('dropped'), ...COMMON, ...ENDED })),
]);
export type DeliveryState = z.infer<typeof DeliveryState>;
export type OpenState = Extract<DeliveryState, { kind: 'open' }>;
export type DeadState = Extract<DeliveryState, { kind: 'dead' }>;

const Common = recordOf(() => COMMON);
/** The names of the fields that belong to one state, or some. */
const STATE_FIELDS = new Set(
  DeliveryState.def.options.flatMap(({ shape }) => Object.keys(shape)).filter((name) => !(name in COMMON)),
);

/** Returns the fields that a delivery keeps when its state changes: the common ones, and those of a newer release. */
export function commonOf(state: DeliveryState): z.infer<typeof Common> {
  return Common.parse(Object.fromEntries(Object.entries(state).filter(([name]) => !STATE_FIELDS.has(name))));
}

/** Parses the stored state of a delivery. @throws if the data has another shape */
export function readState(data: unknown): DeliveryState {
  return DeliveryState.parse(data);
}

/** The schema of a stored message. Headers may contain personal data too, so they are in the item that is erased. */
const StoredMessage = recordOf(() => ({ headers: z.record(z.string(), z.string()), body: PackedText }));

/** Converts a message to its stored form. A large body is compressed, because DynamoDB charges by its size. */
export async function messageData({
  headers,
  body,
}: Pick<Delivery, 'headers' | 'body'>): Promise<z.infer<typeof StoredMessage>> {
  const { encoding, bytes, length } = await encodeBytes(Buffer.from(body));
  return { headers: { ...headers }, body: { encoding, base64: Buffer.from(bytes).toString('base64'), length } };
}

/** Parses a stored message. @throws if the data has another shape */
export function readMessage(data: unknown): Pick<Delivery, 'headers' | 'body'> {
  const { headers, body } = StoredMessage.parse(data);
  return { headers, body: unpackBytes(body) };
}

/** Returns the SHA-256 of a body, in base64url. */
export function bodyHashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}

const PARTITIONS = 'delivery/';
const STATE = 'state';

/** Returns the partition of a delivery. Each delivery has its own, so the store can accept any number at once. */
function partitionOf({ source, id }: DeliveryRef): string {
  return `${PARTITIONS}${source}/${id}`;
}

/** Returns the storage key of a delivery's state. */
export function stateKey(ref: DeliveryRef): Key {
  return { partition: partitionOf(ref), sort: STATE };
}

/** Returns the storage key of a delivery's message. */
export function messageKey(ref: DeliveryRef): Key {
  return { partition: partitionOf(ref), sort: 'message' };
}

/** Returns the storage key of a chunk of what was fetched for a delivery. */
export function fetchedKey(ref: DeliveryRef, chunk: number): Key {
  return { partition: partitionOf(ref), sort: `fetched/${String(chunk).padStart(3, '0')}` };
}

/** Makes the write that erases a message. @param version the version of the message's item */
export function eraseMessage(ref: DeliveryRef, version: number): Write {
  return { kind: 'remove', key: messageKey(ref), version, erase: true };
}

/** A delivery in the list of open deliveries. */
export interface OpenDeliveryRef extends DeliveryRef {
  readonly companyId: string;
}

/** Returns the delivery whose state has this key; `undefined` if the key is not that of a state. */
export function deliveryAt({ partition, sort }: Key): OpenDeliveryRef | undefined {
  if (sort !== STATE || !partition.startsWith(PARTITIONS)) return undefined;
  const ref = refIn(partition.slice(PARTITIONS.length));
  // The key has no company. Each source belongs to one, and takes its place.
  return { companyId: ref.source, ...ref };
}

/** Splits `<source>/<id>`. The name of a source contains no slash. */
export function refIn(text: string): DeliveryRef {
  const slash = text.indexOf('/');
  return { source: text.slice(0, slash), id: text.slice(slash + 1) };
}
