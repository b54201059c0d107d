import type { AttemptResult } from '../deliveries/due-worker.ts';
import { backoffMs, retryAfterSeconds } from '../service/retry.ts';
import { traceparentOf } from '../service/trace.ts';
import { signStandard } from '../signatures/standard-webhooks.ts';
import { eachItem, type ListedStore } from '../storage/port.ts';
import { changeEventDelivery, readDelivery, type StoredEventDelivery } from './deliveries.ts';
import {
  EVENT_BACKOFF,
  type EventDeliveryRef,
  eventDeliveryKey,
  OPEN_EVENTS,
  type OpenEventDelivery,
  projectPartition,
  readEventDelivery,
  type SendFailure,
} from './delivery-records.ts';
import type { EventTransport } from './event-transport.ts';

/** The dependencies of an attempt at a delivery. */
export interface SendDeps {
  /** The store of the deliveries. */
  readonly store: ListedStore;
  /** Returns the live event secrets of a company, the newest first; none if the company has no secret yet. */
  readonly secretsOf: (companyId: string) => Promise<readonly string[]>;
  readonly send: EventTransport;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a random number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
}

/** The error of an attempt that failed, for the log: it has the reason, and nothing of the receiver. */
class EventNotSent extends Error {
  override readonly name = 'EventNotSent';
  readonly code: string;

  constructor({ reason, status, code }: SendFailure) {
    super('An event was not sent');
    this.code = code ?? (status === undefined ? reason : `status-${status}`);
  }
}

/** How long the lease of an attempt lasts, in milliseconds: longer than an attempt. */
export const LEASE_MS = 30_000;
/** How long attempts go on after the event was recorded, in milliseconds: 3 days. */
export const OPEN_MS = 259_200_000;
/** The pause before a delivery looks again whether an earlier event of its project was sent, in milliseconds. */
const RECHECK_MS = 1_000;
/** The most deliveries of earlier events to look at. */
const MAX_EARLIER = 100;
/** How many of them are read at once. Mostly the first one decides, and a project may have many thousand. */
const EARLIER_PAGE = { limit: 4, maxBytes: 100_000 };

/** The status by which a receiver says that it wants no more events at this URL. */
const GONE = 410;
/** The statuses, beside those from 500, that say that the receiver could not take any event at the moment. */
const BUSY: readonly number[] = [408, 425, 429];

const SKIPPED: AttemptResult = { end: 'skipped' };

/**
 * Makes one attempt at the delivery of an event, if it is due. While an earlier event of the project waits for a
 * receiver that is down, the delivery waits too, so that events arrive in order. If the receiver refuses the earlier
 * event alone, later events are sent before it.
 * @throws {Problem} if the store or the secrets fail; the delivery stays open
 */
export async function sendEvent(deps: SendDeps, ref: EventDeliveryRef): Promise<AttemptResult> {
  const { store, secretsOf, send, now } = deps;
  const delivery = await readOpen(store, ref);
  if (!delivery || !OPEN_EVENTS.isDue(delivery.state.dueMs, now())) return SKIPPED;
  const { state } = delivery;
  const untilMs = await waitsUntil(store, ref, now());
  if (untilMs !== undefined) {
    await changeEventDelivery(store, delivery, { ...state, isSending: false, dueMs: untilMs });
    return SKIPPED;
  }
  const { companyId, eventUrl, traceId, event } = state;
  const secrets = await secretsOf(companyId);
  const leased = { ...state, attempts: state.attempts + 1, isSending: true, dueMs: now() + LEASE_MS };
  if (!(await changeEventDelivery(store, delivery, leased))) return SKIPPED;
  const claimed = { ref, state: leased, version: delivery.version + 1 };
  const body = JSON.stringify(event);
  const signature = signStandard(secrets, { id: event.id, atMs: now(), body });
  if (!signature) return postpone(deps, claimed, { reason: 'no-secret' });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Segue',
    ...(traceId !== undefined && { traceparent: traceparentOf(traceId, event.id) }),
    ...signature,
  };
  const sent = await send({ url: eventUrl, headers, body });
  if (sent.kind !== 'answered') {
    const { kind: reason, ...code } = sent;
    return postpone(deps, claimed, { reason, ...code });
  }
  const { status, retryAfter } = sent;
  if (status < 200 || status >= 300) return postpone(deps, claimed, { reason: 'status', status }, retryAfter);
  return (await changeEventDelivery(store, claimed, undefined)) ? { end: 'done', companyId, traceId } : SKIPPED;
}

async function readOpen(store: ListedStore, ref: EventDeliveryRef) {
  const found = await readDelivery(store, ref);
  return found?.state.kind === 'open' ? { ...found, state: found.state } : undefined;
}

/** Returns when to look again, if the delivery must wait for an earlier event of its project. */
async function waitsUntil(store: ListedStore, ref: EventDeliveryRef, nowMs: number): Promise<number | undefined> {
  const own = eventDeliveryKey(ref).sort;
  let count = 0;
  for await (const { sort, data } of eachItem(store, projectPartition(ref), '', EARLIER_PAGE)) {
    if (sort <= own || count++ === MAX_EARLIER) return undefined;
    const earlier = readEventDelivery(data);
    if (earlier.kind !== 'open' || !holdsBack(earlier)) continue;
    const isSoon = earlier.isSending || OPEN_EVENTS.isDue(earlier.dueMs, nowMs + RECHECK_MS);
    return isSoon ? nowMs + RECHECK_MS : earlier.dueMs;
  }
  return undefined;
}

/** Whether later events of the project wait for a delivery: its last attempt says nothing against this event alone. */
function holdsBack({ failure }: OpenEventDelivery): boolean {
  return failure?.status === undefined || failure.status >= 500 || BUSY.includes(failure.status);
}

/** Stores the failure of an attempt. The delivery is attempted again later, or has failed for good. */
async function postpone(
  { store, now, random }: SendDeps,
  claimed: StoredEventDelivery<OpenEventDelivery>,
  failure: SendFailure,
  retryAfter?: string,
): Promise<AttemptResult> {
  const { openedAtMs, dueMs: _, isSending: __, ...before } = claimed.state;
  const { companyId, traceId, attempts } = before;
  const common = { ...before, failure };
  const error = new EventNotSent(failure);
  if (failure.status === GONE || now() - openedAtMs >= OPEN_MS) {
    const isStored = await changeEventDelivery(store, claimed, { ...common, kind: 'failed', endedAtMs: now() });
    return isStored ? { end: 'dead', companyId, traceId, error } : SKIPPED;
  }
  // Keep each pause at least half of its maximum, so that pauses grow.
  const pauseMs = backoffMs(attempts, EVENT_BACKOFF, 1 - random() / 2, retryAfterSeconds(retryAfter, now()));
  // The last attempt is at the end of the time, not after it.
  const dueMs = Math.max(now() + RECHECK_MS, Math.min(now() + pauseMs, openedAtMs + OPEN_MS));
  const isStored = await changeEventDelivery(store, claimed, {
    ...common,
    kind: 'open',
    openedAtMs,
    dueMs,
    isSending: false,
  });
  return isStored ? { end: 'postponed', companyId, traceId, error } : SKIPPED;
}
