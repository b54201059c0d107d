import * as z from 'zod/mini';
import { Receipt, RequestedBy } from '../contract/receipt.ts';
import { eachItem, type Item, type Key, type ListedStore, type Write } from '../storage/port.ts';
import { ContentDigests } from './content-digests.ts';
import { releaseCustomId } from './ledger.ts';

/** An operation that may have been sent to the upstream service, and whose outcome is not known yet. */
export interface OpenOperation {
  readonly companyId: string;
  readonly operationId: string;
}

/** A creation that may have been sent. It holds ids, times and digests, never content. */
const CreateIntent = z.strictObject({
  kind: z.literal('create'),
  requestId: z.string(),
  requestedBy: RequestedBy,
  /** The caller's custom id; null if it gave none. */
  customId: z.nullable(z.string()),
  /** The custom id at the upstream service. */
  name: z.string(),
  /** When the creation began, in milliseconds since 1970: an older project is not its result. */
  sinceMs: z.number(),
  /** After this time, in milliseconds since 1970, nothing that was sent takes effect any more. */
  settledAfterMs: z.number(),
  /** Only if other clients may use the name too: in an account of the company's own, it is the caller's custom id. */
  content: z.optional(ContentDigests),
  /**
   * Set if the service answered 409 to the first attempt: then a proxy may have sent the creation twice, and only a
   * project with this start date is its result.
   */
  startDateUtc: z.optional(z.string()),
});
export type CreateIntent = z.infer<typeof CreateIntent>;

/** A deletion that may have been sent, of a project or task that Segue has seen. */
const DeleteIntent = z.strictObject({
  kind: z.literal('delete'),
  /** The project's id in the ledger. */
  projectId: z.int(),
  /** The project's id at the upstream service. */
  serviceId: z.int(),
  customId: z.nullable(z.string()),
  /** The custom id at the upstream service. */
  name: z.string(),
  taskId: z.nullable(z.string()),
  /** Whether the project has segments of other tasks. */
  hasOtherSegments: z.boolean(),
  requestId: z.string(),
  requestedBy: RequestedBy,
  /** When its ledger entry was made, in milliseconds since 1970. */
  enteredAtMs: z.number(),
  /** What the deletion removes, as it was read before. */
  removed: Receipt.shape.removed,
  settledAfterMs: z.number(),
  /** Set if the service answered 404 to the last request, and still showed the project: it may not allow the deletion. */
  isDisallowed: z.optional(z.boolean()),
});
export type DeleteIntent = z.infer<typeof DeleteIntent>;

const Intent = z.discriminatedUnion('kind', [CreateIntent, DeleteIntent]);

/** Parses the `intent` field of a request record. Returns `undefined` if the field is absent. */
export function readIntent(intent: unknown): CreateIntent | DeleteIntent | undefined {
  return intent === undefined ? undefined : Intent.parse(intent);
}

/** The intent of a creation; `undefined` if there is none. */
export function createIntentIn(kept: unknown): CreateIntent | undefined {
  const intent = readIntent(kept);
  return intent?.kind === 'create' ? intent : undefined;
}

/** The intent of a deletion; `undefined` if there is none. */
export function deleteIntentIn(kept: unknown): DeleteIntent | undefined {
  const intent = readIntent(kept);
  return intent?.kind === 'delete' ? intent : undefined;
}

/** The writes that end an operation which had no effect. */
export function undoWrites(operation: OpenOperation, intent: CreateIntent | DeleteIntent | undefined): Write[] {
  const customId = intent?.kind === 'create' ? intent.customId : null;
  return [openMarkerRemoval(operation), ...(customId === null ? [] : [releaseCustomId(operation.companyId, customId)])];
}

const OpenMarker = z.strictObject({
  /** When the operation began, in milliseconds since 1970. */
  sinceMs: z.number(),
});

/** An open operation with its marker. */
export type MarkedOperation = OpenOperation & z.infer<typeof OpenMarker>;

/** Spreads the markers over several partitions: one alone would take every creation's write. */
const SHARDS = 16;
const shardPartition = (shard: number) => `open-operations/${String(shard)}`;

/** Returns the write that marks an operation as open for the reconciler. Commit it together with the claim. */
export function openMarkerWrite(operation: OpenOperation, sinceMs: number): Write {
  return { kind: 'insert', key: markerKey(operation), data: { sinceMs } satisfies z.infer<typeof OpenMarker> };
}

/** Returns the write that removes an operation's open marker. Commit it together with the result or the failure. */
export function openMarkerRemoval(operation: OpenOperation): Write {
  return { kind: 'remove', key: markerKey(operation), version: 1 };
}

/** Lists all open operations. Requests are still working on some of them. */
export async function* openOperations(storage: Pick<ListedStore, 'list'>): AsyncGenerator<MarkedOperation> {
  for (let shard = 0; shard < SHARDS; shard++) {
    for await (const item of eachItem(storage, shardPartition(shard), '')) yield readMarker(item);
  }
}

function readMarker({ sort, data }: Item): MarkedOperation {
  const slash = sort.indexOf('/');
  return { companyId: sort.slice(0, slash), operationId: sort.slice(slash + 1), ...OpenMarker.parse(data) };
}

function markerKey({ companyId, operationId }: OpenOperation): Key {
  return { partition: shardPartition(operationId.charCodeAt(0) % SHARDS), sort: `${companyId}/${operationId}` };
}
