import * as z from 'zod/mini';
import { StoredCounts, StoredRequestedBy } from '../records/contract-records.ts';
import { returnProject } from '../records/counted-project.ts';
import { eachItem, type Item, type Key, type ListedStore, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { shardsOf } from '../storage/shards.ts';
import { ContentDigests } from './content-digests.ts';
import { releaseCustomId, StoredFreed } from './ledger.ts';
import { RequestDigest } from './request-digest.ts';

/** An operation that may have been sent to the upstream service, and whose outcome is not known yet. */
export interface OpenOperation {
  readonly companyId: string;
  readonly operationId: string;
}

/** What is kept of a put that creates a project: its revision if it has one, and its counts. */
const PutIntent = recordOf(() => ({
  revision: z.optional(z.int()),
  segments: z.int(),
  targetLanguages: z.int(),
  automaticCharacters: z.int(),
}));
export type PutIntent = z.infer<typeof PutIntent>;

/** The intent of a creation that may have been sent. It contains ids, times and digests, never content. */
const CreateIntent = recordOf(() => ({
  kind: z.literal('create'),
  requestId: z.string(),
  traceId: z.optional(z.string()),
  requestedBy: StoredRequestedBy,
  /** The caller's custom id; `null` if the caller gave none. */
  customId: z.nullable(z.string()),
  /** The custom id at the upstream service. */
  name: z.string(),
  /** When the creation began, in milliseconds since 1970. An older project cannot be its result. */
  sinceMs: z.number(),
  /** The time after which no sent request can take effect any more, in milliseconds since 1970. */
  settledAfterMs: z.number(),
  /**
   * The digests of the sent content. They are needed only if `name` is the caller's custom id, which other clients may
   * use too.
   */
  content: z.optional(ContentDigests),
  /** The digest of the request, for the ledger. */
  request: z.optional(RequestDigest),
  /** Present if the creation is a put. */
  put: z.optional(PutIntent),
  /** Present if the custom id was freed. Then the project keeps the revision that is remembered for it. */
  freed: z.optional(StoredFreed),
  /**
   * The start date of the first attempt, if the service answered 409 to it. A proxy may have sent the creation twice.
   * Then only a project with this start date is its result.
   */
  startDateUtc: z.optional(z.string()),
  /** Where the project is counted; absent if the company has no limit. */
  counted: z.optional(recordOf(() => ({ day: z.string(), counter: z.int() }))),
}));
export type CreateIntent = z.infer<typeof CreateIntent>;

/** The intent of a deletion that may have been sent. Segue has read the project or task before. */
const DeleteIntent = recordOf(() => ({
  kind: z.literal('delete'),
  /** The project's id in the ledger. */
  projectId: z.int(),
  /** The project's id at the upstream service. */
  serviceId: z.int(),
  customId: z.nullable(z.string()),
  /** The custom id at the upstream service. */
  name: z.string(),
  taskId: z.nullable(z.string()),
  /** The revision of the deletion of a whole project; absent if it has none. */
  revision: z.optional(z.int()),
  /** Whether the project has segments outside the deleted task. */
  hasOtherSegments: z.boolean(),
  requestId: z.string(),
  traceId: z.optional(z.string()),
  requestedBy: StoredRequestedBy,
  /** When the ledger entry of the project was created, in milliseconds since 1970. */
  enteredAtMs: z.number(),
  /** The counts of what the deletion removes, read before the deletion. */
  removed: StoredCounts,
  settledAfterMs: z.number(),
  /**
   * Whether the service answered 404 to the last DELETE, but still showed the project. The account may not have the
   * permission to delete the project.
   */
  isDisallowed: z.optional(z.boolean()),
}));
export type DeleteIntent = z.infer<typeof DeleteIntent>;

const Intent = z.discriminatedUnion('kind', [CreateIntent, DeleteIntent]);

/**
 * Parses the `intent` field of a request record: the creation or deletion that may have been sent. Returns `undefined`
 * if the field is absent.
 */
export function readIntent(intent: unknown): CreateIntent | DeleteIntent | undefined {
  return intent === undefined ? undefined : Intent.parse(intent);
}

/** Returns the intent in a request record if it is the intent of a creation. */
export function createIntentIn(kept: unknown): CreateIntent | undefined {
  const intent = readIntent(kept);
  return intent?.kind === 'create' ? intent : undefined;
}

/** Returns the intent in a request record if it is the intent of a deletion. */
export function deleteIntentIn(kept: unknown): DeleteIntent | undefined {
  const intent = readIntent(kept);
  return intent?.kind === 'delete' ? intent : undefined;
}

/**
 * Creates the writes for an operation that ends without a result: it had no effect, or its outcome stays unknown. They
 * remove its marker, release the custom id that it reserved, and take its count back.
 */
export function undoWrites(operation: OpenOperation, intent: CreateIntent | DeleteIntent | undefined): Write[] {
  const { customId, counted, freed = undefined } = intent?.kind === 'create' ? intent : { customId: null };
  return [
    openMarkerRemoval(operation),
    ...(customId === null ? [] : [releaseCustomId(operation.companyId, customId, freed)]),
    ...(counted ? [returnProject(operation.companyId, counted)] : []),
  ];
}

const OpenMarker = recordOf(() => ({
  /** When the operation began, in milliseconds since 1970. */
  sinceMs: z.number(),
}));

/** An open operation, and when it began. */
export type MarkedOperation = OpenOperation & z.infer<typeof OpenMarker>;

/** The partitions of the markers. */
const MARKERS = shardsOf('open-operations');

/**
 * Creates the write that marks an operation as open. Commit it together with the claim of the request. The reconciler
 * finds open operations by these markers.
 */
export function openMarkerWrite(operation: OpenOperation, sinceMs: number): Write {
  return { kind: 'insert', key: markerKey(operation), data: { sinceMs } satisfies z.infer<typeof OpenMarker> };
}

/** Creates the write that removes an operation's open marker. Commit it together with the result or the failure. */
export function openMarkerRemoval(operation: OpenOperation): Write {
  return { kind: 'remove', key: markerKey(operation), version: 1 };
}

/** Lists all open operations. Some of them belong to requests that are still running. */
export async function* openOperations(storage: Pick<ListedStore, 'list'>): AsyncGenerator<MarkedOperation> {
  for (const partition of MARKERS.partitions) {
    for await (const item of eachItem(storage, partition, '')) yield readMarker(item);
  }
}

function readMarker({ sort, data }: Item): MarkedOperation {
  const slash = sort.indexOf('/');
  return { companyId: sort.slice(0, slash), operationId: sort.slice(slash + 1), ...OpenMarker.parse(data) };
}

function markerKey({ companyId, operationId }: OpenOperation): Key {
  return { partition: MARKERS.partitionOf(operationId), sort: `${companyId}/${operationId}` };
}
