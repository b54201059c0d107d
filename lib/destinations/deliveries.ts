import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import { retentionMsOf } from '../contract/retentions.ts';
import { deliveryQueue, ENDED, EVERY, OPEN, openedAt } from '../deliveries/queue.ts';
import type { ResultToSend } from '../events/feed-positions.ts';
import { StoredPublishedEvent } from '../records/contract-records.ts';
import { asUnavailable, type ItemStore, type Key, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/** The delivery of the results of one event to one destination. */
export interface ResultRef {
  readonly companyId: string;
  /** The id of the destination. */
  readonly destination: string;
  readonly projectId: number;
  /** The id of the target language; 0 for an event that is about no language. */
  readonly languageId: number;
  /** The sequence number of the event. */
  readonly sequence: number;
}

/** The reasons for which an attempt fails. */
export const RESULT_FAILURES = [
  'status',
  'no-answer',
  'address-refused',
  'host-refused',
  'invalid-request',
  'mapping-failed',
  'fetch-failed',
  'no-secret',
  'project-changing',
  'too-large',
  'content-lost',
  'company-suspended',
] as const;

/** Why an attempt failed. It has no content, no URL, and nothing that the receiver sent, except its status. */
const ResultFailure = recordOf(() => ({
  reason: z.enum(RESULT_FAILURES),
  /** The HTTP status, if the receiver answered. */
  status: z.optional(z.int()),
  /** Node's error code, if there was no answer. */
  code: z.optional(z.string()),
  /** The number of the request that failed, from 1. */
  request: z.optional(z.int()),
  /** What would be right. */
  detail: z.optional(z.string()),
}));
export type ResultFailure = z.infer<typeof ResultFailure>;

/** The last request that was sent, without its URL, content and header values. */
const LastRequest = recordOf(() => ({
  /** Its number among the requests of the delivery, from 1, and how many they are. */
  request: z.int(),
  requests: z.int(),
  method: z.string(),
  bytes: z.int(),
  headers: z.array(z.string()),
  /** The status and the size of the answer, if there was one. */
  status: z.optional(z.int()),
  answerBytes: z.optional(z.int()),
  atUtc: z.string(),
}));
export type LastRequest = z.infer<typeof LastRequest>;

/** How a delivery ended that did not fail. */
export const RESULT_ENDS = [
  'sent',
  'no-requests',
  'superseded',
  'project-deleted',
  'language-removed',
  'destination-removed',
] as const;
export type ResultEnd = (typeof RESULT_ENDS)[number];

const COMMON = {
  /** The name of the destination. */
  name: z.string(),
  event: StoredPublishedEvent,
  last: z.optional(LastRequest),
};

/** The state of a delivery. It has ids, times and sizes, and no content. */
const ResultState = z.discriminatedUnion('kind', [
  recordOf(() => ({
    ...OPEN,
    ...COMMON,
    /** Whether an attempt is running, unless its process was stopped. */
    isSending: z.boolean(),
    /** The failure of the last attempt that finished. */
    failure: z.optional(ResultFailure),
    /** How many attempts failed because the mapping took too much time or memory. */
    overLimit: z.optional(z.int()),
    /** The salted hash of all requests of the last attempt, and how many of them succeeded. */
    progress: z.optional(recordOf(() => ({ salt: z.string(), hash: z.string(), done: z.int() }))),
  })),
  recordOf(() => ({ kind: z.literal('done'), ...ENDED, ...COMMON, end: z.enum(RESULT_ENDS) })),
  recordOf(() => ({ kind: z.literal('dead'), ...ENDED, ...COMMON, failure: ResultFailure })),
]);
export type ResultState = z.infer<typeof ResultState>;
export type OpenResult = Extract<ResultState, { kind: 'open' }>;
export type DeadResult = Extract<ResultState, { kind: 'dead' }>;

/** Parses the stored state of a delivery. @throws if the data has another shape */
export function readResultState(data: unknown): ResultState {
  return ResultState.parse(data);
}

const Common = recordOf(() => ({ ...EVERY, ...COMMON }));
/** The names of the fields that belong to one state, or some. */
const STATE_FIELDS = new Set(
  ResultState.def.options
    .flatMap(({ shape }) => Object.keys(shape))
    .filter((name) => !(name in EVERY) && !(name in COMMON)),
);

/** Returns the fields that a delivery keeps when its state changes: the common ones, and those of a newer release. */
export function keptOf(state: ResultState): z.infer<typeof Common> {
  return Common.parse(Object.fromEntries(Object.entries(state).filter(([name]) => !STATE_FIELDS.has(name))));
}

const PARTITIONS = 'result-delivery/';

/** Returns the partition of the deliveries of a project to a destination. */
export function resultPartition({ companyId, destination, projectId }: Omit<ResultRef, 'languageId' | 'sequence'>) {
  return `${PARTITIONS}${companyId}/${destination}/${projectId}`;
}

/** Returns the prefix of the sort keys of the deliveries of a language, the first event last. */
export function languagePrefix({ languageId }: Pick<ResultRef, 'languageId'>): string {
  return `${languageId}/`;
}

/** Returns the storage key of a delivery. */
function resultKey(ref: ResultRef): Key {
  return { partition: resultPartition(ref), sort: `${languagePrefix(ref)}${orderOf(ref)}` };
}

/** Returns the delivery with this key; `undefined` if the key is not that of a delivery to a destination. */
export function resultAt({ partition, sort }: Key): ResultRef | undefined {
  if (!partition.startsWith(PARTITIONS)) return undefined;
  const [companyId = '', ...text] = `${partition.slice(PARTITIONS.length)}/${sort}`.split('/');
  return refIn(companyId, text.join('/'));
}

/** Writes a sequence number so that the last event of a language sorts last: the store lists it first. */
function orderOf({ sequence }: Pick<ResultRef, 'sequence'>): string {
  return String(sequence).padStart(16, '0');
}

function refIn(companyId: string, text: string): ResultRef {
  const [destination = '', projectId, languageId, sequence] = text.split('/');
  return {
    companyId,
    destination,
    projectId: Number(projectId),
    languageId: Number(languageId),
    sequence: Number(sequence),
  };
}

/** Returns the id of a delivery in answers and commands. It is unique in its destination. */
export function resultIdOf({ projectId, languageId, sequence }: Omit<ResultRef, 'companyId' | 'destination'>): string {
  return `${projectId}-${languageId}-${sequence}`;
}

/** Parses an id of `resultIdOf`; `undefined` if it is none. */
export function readResultId(id: string): Pick<ResultRef, 'projectId' | 'languageId' | 'sequence'> | undefined {
  const [, ...numbers] = /^([1-9]\d{0,15})-(0|[1-9]\d{0,8})-([1-9]\d{0,15})$/.exec(id) ?? [];
  const [projectId, languageId, sequence] = numbers.map(Number);
  if (projectId === undefined || languageId === undefined || sequence === undefined) return undefined;
  return { projectId, languageId, sequence };
}

/** The queue of the deliveries to destinations. All deliveries of a project are in one partition of its list. */
export const RESULT_DELIVERIES = deliveryQueue<ResultRef, ResultState>({
  name: 'open-results',
  letters: 'failed-results',
  write: (ref) => `${ref.destination}/${ref.projectId}/${ref.languageId}/${orderOf(ref)}`,
  read: refIn,
  groupOf: ({ destination }) => destination,
  lockOf: ({ projectId, languageId }) => `${projectId}/${languageId}`,
  idOf: ({ projectId }) => String(projectId),
  keyOf: resultKey,
  parse: readResultState,
  maxRunning: 8,
  // A receiver that does not answer leaves room for the others.
  maxRunningOfGroup: 2,
  attemptMs: 25_000,
  leaseMs: 60_000,
  keptMs: retentionMsOf('delivery'),
  // Attempts go on for 3 days after the event.
  retry: { firstMs: 5_000, longestMs: 14_400_000, maxAttempts: Number.POSITIVE_INFINITY, openMs: 259_200_000 },
  changedAtOnce: 'Another command changed this delivery at the same time. List the failed deliveries again.',
});

/** The upper limit of a delivery's first version, which is random, because a delivery may be opened again. */
const MAX_FIRST_VERSION = 2 ** 48 - 1;

/** Returns the reference of the delivery of an event to a destination. */
function resultRefOf({ companyId, destination, event }: ResultToSend): ResultRef {
  const { projectId, languageId = 0 } = event.data;
  return { companyId, destination: destination.id, projectId, languageId, sequence: event.sequence };
}

/**
 * Creates the function that opens the delivery of an event to a destination. If the delivery is in the store, open or
 * ended, nothing changes.
 * @param now returns the current time, in milliseconds since 1970
 */
export function resultOpener(store: ItemStore, now: () => number): (toSend: ResultToSend) => Promise<void> {
  return async (toSend) => {
    const ref = resultRefOf(toSend);
    const { companyId, traceId, event, destination } = toSend;
    const about = { companyId, ...(traceId && { traceId }), name: destination.name, event };
    const data: ResultState = { ...about, ...openedAt(now()), isSending: false };
    const writes: Write[] = [
      { kind: 'insert', key: resultKey(ref), data, firstVersion: randomInt(1, MAX_FIRST_VERSION) },
      { kind: 'insert', key: RESULT_DELIVERIES.list.keyOf(ref, data.dueMs), data: {} },
    ];
    await store.commit({ writes }).catch(asUnavailable('Segue could not queue a result. Send the request again.'));
  };
}
