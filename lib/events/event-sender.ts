import type { BackgroundOptions } from '../background/background-function.ts';
import { streamHandler } from '../background/stream.ts';
import {
  type Attempted,
  type AttemptResult,
  type DueWorker,
  type DueWorkerOptions,
  dueWorker,
} from '../deliveries/due-worker.ts';
import { deliveriesIn, SKIPPED, type StoredDelivery } from '../deliveries/queue.ts';
import type { PublicTransport } from '../service/http-client/public-transport.ts';
import { attemptFields, type Log, logToStandardError } from '../service/log.ts';
import { isBusyStatus, retryAfterSeconds } from '../service/retry.ts';
import { traceparentOf } from '../service/trace.ts';
import { signStandard } from '../signatures/sign-standard.ts';
import { eachItem, type ListedStore } from '../storage/port.ts';
import {
  EVENT_DELIVERIES,
  type EventDeliveryRef,
  eventDeliveryAt,
  eventDeliveryKey,
  type OpenEventDelivery,
  projectPartition,
  readEventDelivery,
  type SendFailure,
} from './deliveries.ts';

/** The dependencies of a sender of events, with the store of the deliveries. */
export interface EventSenderDeps extends Pick<DueWorkerOptions<EventDeliveryRef>, 'store' | 'now' | 'pause'> {
  /** Returns the live event secrets of a company, the newest first; none if the company has no secret yet. */
  readonly secretsOf: (companyId: string) => Promise<readonly string[]>;
  readonly send: PublicTransport;
  /** Returns a random number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
  /** Called for each attempt that ended its delivery or failed. */
  readonly onAttempt?: (ref: EventDeliveryRef, attempted: Attempted) => void;
}

/** Sends events to their receivers, several at once. */
export type EventSender = DueWorker<EventDeliveryRef>;

/** Creates a sender of events. */
export function eventSender(deps: EventSenderDeps): EventSender {
  return dueWorker({ ...EVENT_DELIVERIES, onAttempt: () => {}, ...deps, attempt: (ref) => sendEvent(deps, ref) });
}

const OPERATION = 'sendEvents';

/** Returns a function that logs an attempt. The line has ids and codes, and no URL. */
export function logSent(log: Log = logToStandardError): (ref: EventDeliveryRef, attempted: Attempted) => void {
  return (_, { companyId, traceId, durationMs, error }) =>
    log({ operation: OPERATION, requestId: 'none', traceId, companyId, durationMs, ...attemptFields(error) });
}

/** Makes the Lambda handler that sends events. */
export function sendHandler(sender: EventSender, options: BackgroundOptions) {
  const alerts = { waiting: 'events-waiting', letters: 'failed-events' } as const;
  return streamHandler({ operation: OPERATION, alerts, refAt: eventDeliveryAt }, sender, options);
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

/** The pause before a delivery looks again whether an earlier event of its project was sent, in milliseconds. */
const RECHECK_MS = 1_000;
/** The most deliveries of earlier events to look at. */
const MAX_EARLIER = 100;
/** How many of them are read at once. Mostly the first one decides, and a project may have many thousand. */
const EARLIER_PAGE = { limit: 4, maxBytes: 100_000 };

/** The status by which a receiver says that it wants no more events at this URL. */
const GONE = 410;

/**
 * Makes one attempt at the delivery of an event, if it is due. While an earlier event of the project waits for a
 * receiver that is down, the delivery waits too, so that events arrive in order. If the receiver refuses the earlier
 * event alone, later events are sent before it.
 * @throws {Problem} if the store or the secrets fail; the delivery stays open
 */
async function sendEvent(deps: EventSenderDeps, ref: EventDeliveryRef): Promise<AttemptResult> {
  const { store, secretsOf, send, now } = deps;
  const queue = deliveriesIn(EVENT_DELIVERIES, store, now);
  const delivery = await queue.readDue(ref);
  if (!delivery) return SKIPPED;
  const { state } = delivery;
  const untilMs = await waitsUntil(store, ref, now());
  if (untilMs !== undefined) {
    await queue.change(delivery, { ...state, isSending: false, dueMs: untilMs });
    return SKIPPED;
  }
  const { companyId, eventUrl, traceId, event } = state;
  const secrets = await secretsOf(companyId);
  const claimed = await queue.claim(delivery, { ...state, isSending: true });
  if (!claimed) return SKIPPED;
  const body = JSON.stringify(event);
  const signature = signStandard(secrets, { id: event.id, atMs: now(), body });
  if (!signature) return postpone(deps, claimed, { reason: 'no-secret' });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Segue',
    ...(traceId !== undefined && { traceparent: traceparentOf(traceId, event.id) }),
    ...signature,
  };
  const sent = await send({ method: 'POST', url: eventUrl, headers, body });
  if (sent.kind !== 'answered') {
    const { kind: reason, ...code } = sent;
    return postpone(deps, claimed, { reason, ...code });
  }
  const { status } = sent;
  if (status < 200 || status >= 300)
    return postpone(deps, claimed, { reason: 'status', status }, sent.headers['retry-after']);
  return queue.settle(claimed);
}

/** Returns when to look again, if the delivery must wait for an earlier event of its project. */
async function waitsUntil(store: ListedStore, ref: EventDeliveryRef, nowMs: number): Promise<number | undefined> {
  const own = eventDeliveryKey(ref).sort;
  let count = 0;
  for await (const { sort, data } of eachItem(store, projectPartition(ref), '', EARLIER_PAGE)) {
    if (sort <= own || count++ === MAX_EARLIER) return undefined;
    const earlier = readEventDelivery(data);
    if (earlier.kind !== 'open' || !holdsBack(earlier)) continue;
    const isSoon = earlier.isSending || EVENT_DELIVERIES.list.isDue(earlier.dueMs, nowMs + RECHECK_MS);
    return isSoon ? nowMs + RECHECK_MS : earlier.dueMs;
  }
  return undefined;
}

/** Whether later events of the project wait for a delivery: its last attempt says nothing against this event alone. */
function holdsBack({ failure }: OpenEventDelivery): boolean {
  return failure?.status === undefined || isBusyStatus(failure.status);
}

/** Stores the failure of an attempt. The delivery is attempted again later, or has failed for good. */
async function postpone(
  { store, now, random }: EventSenderDeps,
  claimed: StoredDelivery<EventDeliveryRef, OpenEventDelivery>,
  failure: SendFailure,
  retryAfter?: string,
): Promise<AttemptResult> {
  const queue = deliveriesIn(EVENT_DELIVERIES, store, now);
  const state = { ...claimed.state, isSending: false, failure };
  const error = new EventNotSent(failure);
  const nextMs = queue.nextDueMs(state, random, retryAfterSeconds(retryAfter, now()));
  if (failure.status === GONE || nextMs === undefined) {
    const { openedAtMs: _, dueMs: __, isSending: ___, ...kept } = state;
    return queue.settle(claimed, { ...kept, kind: 'dead', endedAtMs: now() }, error);
  }
  // The last attempt is at the end of the time, not after it.
  const dueMs = Math.max(now() + RECHECK_MS, Math.min(nextMs, state.openedAtMs + EVENT_DELIVERIES.retry.openMs));
  return queue.settle(claimed, { ...state, dueMs }, error);
}
