import * as z from 'zod/mini';
import type { Fault } from '../contract/fault.ts';
import { Problem } from '../contract/problem.ts';
import { Receipt } from '../contract/receipt.ts';
import { operationIdOf } from '../service/operation-id.ts';
import type { Call } from '../service/port.ts';
import type { ItemStore } from '../storage/port.ts';
import { isSame, type Once, type Outcome, once, type Settle } from './exactly-once.ts';
import { partitionOf } from './keys.ts';
import { type Meaning, recordKey } from './record.ts';

/** What is kept of what a request came to: ids and a receipt, never content. */
export const Result = z.union([
  z.strictObject({ kind: z.literal('created'), projectId: z.int() }),
  z.strictObject({ kind: z.literal('deleted'), receipt: Receipt }),
]);
export type Result = z.infer<typeof Result>;

/** How a result is made the answer of another request with its key. */
export interface Replay<T> {
  /** @throws {Problem} where what the result speaks of is gone: that is said before that the requests differ */
  readonly requireLive: (result: Result) => Promise<void>;
  /** Where the requests differ, as far as that can still be told. */
  readonly differences: (result: Result) => Promise<readonly string[]>;
  readonly answer: (result: Result) => Promise<T>;
}

/** Kept back beyond the deadline, for the last write of an attempt to arrive. */
const LEASE_MARGIN_MS = 1_000;

/**
 * Does work as often as it is asked for, or with a key once.
 * @param meaningOf what the request means; asked for only where there is a key, since it may take a while
 * @param work gets what makes the write that records its result; without a key, nothing
 * @throws {Problem} `request-in-progress`, `idempotency-key-reused`; whatever work and replay throw
 */
export async function onlyOnce<T>(
  foundation: Keeper,
  call: Call,
  meaningOf: () => Meaning,
  work: (settle: Settle | undefined) => Promise<T>,
  replay: Replay<T>,
): Promise<T> {
  if (!call.once) return work(undefined);
  const request = requestOf(foundation, call, operationIdOf(call.once.key), meaningOf());
  return answerOf(call, request.meaning, await once(request, ({ settle }) => work(settle)), replay);
}

/** Where requests are kept. */
export interface Keeper {
  readonly storage: ItemStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A request under the id of its operation. It may work as long as its call. */
export function requestOf({ storage, now }: Keeper, call: Call, operationId: string, meaning: Meaning): Once {
  const key = recordKey(partitionOf(call.companyId), operationId);
  return {
    storage,
    key,
    meaning,
    now,
    leaseMs: call.deadline.remainingMs() + LEASE_MARGIN_MS,
    retentionMs: call.once?.retentionMs,
  };
}

/**
 * The answer to a request, from what became of it.
 * @throws {Problem} `idempotency-key-reused`; whatever the replay throws
 */
export async function answerOf<T>(
  { once: asked }: Call,
  meaning: Meaning,
  outcome: Outcome<T>,
  replay: Replay<T>,
): Promise<T> {
  if (outcome.kind === 'done') return outcome.value;
  const wording = reusedDetail(outcome.meaning, meaning);
  if (outcome.result === undefined) throw reused(wording, []);
  const result = Result.parse(outcome.result);
  await replay.requireLive(result);
  if (!isSame(outcome.meaning, meaning)) throw reused(wording, await replay.differences(result));
  asked?.replayed();
  return replay.answer(result);
}

function notTheSame(pointer: string): Fault {
  return { pointer, code: 'not-the-same', detail: 'The first request with this key has another value here.' };
}

/** Only a creation has dates: a problem about a deletion does not speak of them. */
function reusedDetail(first: Meaning, { operation }: Meaning): string {
  if (first.operation !== operation) return 'Another operation was requested with this key.';
  return operation === 'create'
    ? 'Another project was sent with this key. endDateUtc, unlike startDateUtc, is compared.'
    : 'Another deletion was requested with this key.';
}

function reused(detail: string, pointers: readonly string[]): Problem {
  return new Problem('idempotency-key-reused', {
    detail,
    ...(pointers.length > 0 && { errors: pointers.map(notTheSame) }),
  });
}
