import { createHash, randomBytes } from 'node:crypto';
import { utc } from '../contract/date.ts';
import { lazy } from '../contract/lazy.ts';
import { Problem } from '../contract/problem.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import type { AttemptResult } from '../deliveries/due-worker.ts';
import { deliveriesIn, SKIPPED, type StoredDelivery } from '../deliveries/queue.ts';
import { type Deadline, within } from '../service/deadline.ts';
import type { PublicTransport, Sent } from '../service/http-client/public-transport.ts';
import { isBusyStatus, retryAfterSeconds } from '../service/retry.ts';
import { traceparentOf } from '../service/trace.ts';
import type { ListedStore, Write } from '../storage/port.ts';
import { FetchFailure } from '../webhooks/fetch-failure.ts';
import { MappingOverLimit } from '../webhooks/mapping/mapper.ts';
import { type Delivered, forgetDelivered, readDelivered } from './delivered.ts';
import {
  keptOf,
  type LastRequest,
  type OpenResult,
  RESULT_DELIVERIES,
  type ResultEnd,
  type ResultFailure,
  type ResultRef,
} from './deliveries.ts';
import type { Destination } from './destinations.ts';
import { type FetchPageDeps, fetchPage } from './fetch-page.ts';
import { type ReadInput, type ResultReads, readInput } from './input.ts';
import type { LargeSlot } from './large-slot.ts';
import { type RequestFault, type ResultRequest, readRequests } from './requests.ts';
import { takeTurn } from './turn.ts';

/** The dependencies of an attempt at a delivery. */
export interface ResultDeps extends FetchPageDeps {
  /** The store of the deliveries. */
  readonly store: ListedStore;
  /** Finds the destination that has this name now. */
  readonly findDestination: (name: string) => Promise<Destination | undefined>;
  readonly reads: ResultReads;
  /** Holds back large inputs, of which a process reads and maps one at a time. */
  readonly slot: LargeSlot;
  /** Reads the secret of a destination; `undefined` if it has none. */
  readonly secretOf: (destination: Destination) => Promise<string | undefined>;
  readonly requireCompany: RequireCompany;
  readonly send: PublicTransport;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Returns a random number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
}

/** The time limit for the requests of one attempt, in milliseconds. The next attempt goes on where it stopped. */
const ATTEMPT_MS = 25_000;
/** The number of attempts over the mapping's time or memory limit after which a delivery becomes a dead letter. */
const MAX_OVER_LIMIT = 3;
/** The shortest pause before an attempt is repeated, in milliseconds. */
const SHORTEST_MS = 1_000;
/** The statuses that say that the page has changed since it was read. */
const CONFLICTS: readonly number[] = [409, 412];
/**
 * How soon a conflict is retried, in milliseconds, and after how many attempts no longer: two languages of a project are
 * often completed at once.
 */
const CONFLICT = { ms: 1_000, attempts: 5 };

type OpenDelivery = StoredDelivery<ResultRef, OpenResult>;

/** The error of an attempt that failed, for the log: it has the reason, and nothing of the receiver or the content. */
class ResultNotSent extends Error {
  override readonly name = 'ResultNotSent';
  readonly code: string;

  constructor({ reason, status, code }: ResultFailure) {
    super('A result was not sent');
    this.code = code ?? (status === undefined ? reason : `status-${status}`);
  }
}

/**
 * Makes one attempt at a delivery, if it is due. If the process dies during the attempt, the next one starts when the
 * lease expires, and sends again what it cannot know to have arrived, with the same idempotency keys.
 * @throws {Problem} if a store fails; the delivery stays open
 */
export async function attemptResult(deps: ResultDeps, ref: ResultRef, deadline: Deadline): Promise<AttemptResult> {
  const { store, now } = deps;
  const queue = deliveriesIn(RESULT_DELIVERIES, store, now);
  const due = await queue.readDue(ref);
  if (!due) return SKIPPED;
  const { state } = due;
  const turn = await takeTurn(deps, due);
  if (turn.kind === 'superseded') return queue.settle(due, doneState(state, 'superseded', now()));
  if (turn.kind === 'later') {
    await queue.change(due, { ...state, isSending: false, dueMs: turn.atMs });
    return SKIPPED;
  }
  const claimed = await queue.claim(due, { ...state, isSending: true });
  if (!claimed) return SKIPPED;
  const isDeletion = state.event.type === 'project.deleted';
  // No other delivery of the project is open now, and none can be: nothing writes these hashes again.
  if (isDeletion) await forgetDelivered(store, ref);
  const destination = await deps.findDestination(state.name);
  if (destination?.destinationId !== ref.destination) {
    await forgetDelivered(store, ref);
    return queue.settle(claimed, doneState(claimed.state, 'destination-removed', now()));
  }
  if (!destination.on.includes(state.event.type))
    return queue.settle(claimed, doneState(claimed.state, isDeletion ? 'project-deleted' : 'no-requests', now()));
  return sendTo(deps, claimed, destination, deadline);
}

/** Maps the event to requests and sends them. */
async function sendTo(
  deps: ResultDeps,
  claimed: OpenDelivery,
  destination: Destination,
  deadline: Deadline,
): Promise<AttemptResult> {
  const { store, now } = deps;
  const { state } = claimed;
  const own = within(ATTEMPT_MS, deadline, now);
  const suspended = await suspension(deps, state.companyId);
  if (suspended) return fail(deps, claimed, suspended, { mayHelp: true });
  const secretHeaders = lazy(() => readSecretHeaders(deps, destination));
  const read = await readAndMap(deps, claimed, destination, { secretHeaders, deadline: own });
  if ('end' in read) return read;
  const { requests, delivered } = read;
  const settle = (delivery: OpenDelivery, end: ResultEnd) => {
    // If the page has all translations already, an earlier attempt has sent them, and its answer was lost.
    const isDelivered = end === 'sent' || destination.fetch !== undefined;
    const writes: Write[] = isDelivered ? (delivered?.writes(now()) ?? []) : [];
    return deliveriesIn(RESULT_DELIVERIES, store, now).settle(
      delivery,
      doneState(delivery.state, end, now()),
      undefined,
      writes,
    );
  };
  if (requests.length === 0) return settle(claimed, 'no-requests');
  const headers = await secretHeaders().catch(noSecret);
  if (!headers) return fail(deps, claimed, { reason: 'no-secret' }, { mayHelp: true });
  return sendAll(deps, claimed, {
    requests,
    secretHeaders: headers,
    own,
    hasFetch: destination.fetch !== undefined,
    settle,
  });
}

/** The secret of a destination could not be read. */
class NoSecret extends Error {
  override readonly name = 'NoSecret';
}

/** Returns the header with the secret of a destination; none if it has no secret. @throws {NoSecret} */
async function readSecretHeaders(
  { secretOf }: ResultDeps,
  destination: Destination,
): Promise<Readonly<Record<string, string>>> {
  const { secretHeader } = destination;
  if (secretHeader === undefined) return {};
  const secret = await secretOf(destination).catch(() => undefined);
  if (secret === undefined) throw new NoSecret();
  return { [secretHeader.toLowerCase()]: secret };
}

function noSecret(error: unknown): undefined {
  if (!(error instanceof NoSecret)) throw error;
}

/** The requests that a mapping made, and what is delivered with them. */
interface ReadResult {
  readonly requests: readonly ResultRequest[];
  /** Absent if the event is about no language. */
  readonly delivered: Delivered | undefined;
}

interface ReadOptions {
  /** Reads the header with the secret of the destination. */
  readonly secretHeaders: () => Promise<Readonly<Record<string, string>>>;
  readonly deadline: Deadline;
}

/** Reads the translations and maps them to requests. @returns the end of the attempt, if that fails */
async function readAndMap(
  deps: ResultDeps,
  claimed: OpenDelivery,
  destination: Destination,
  options: ReadOptions,
): Promise<ReadResult | AttemptResult> {
  const { ref, state } = claimed;
  let delivered: Delivered | undefined;
  let free = () => {};
  const requestedBy = { kind: 'source', id: null } as const;
  const call = { companyId: state.companyId, requestId: state.event.id, requestedBy, deadline: options.deadline };
  const nowMs = Date.parse(state.event.timestamp);
  try {
    const input = await readInput(deps.reads, state.event, call, {
      readPage: (json) => fetchPage(deps, destination, json, { ...options, nowMs }),
      async start() {
        free();
        delivered = await readDelivered(deps.store, ref);
        return delivered.add;
      },
      async large() {
        free = await deps.slot.take();
      },
    });
    if (input.kind !== 'input') return await withoutInput(deps, claimed, input.kind);
    const read = readRequests(await deps.mapper.applyToJson(destination.mapping, input.json, nowMs), destination);
    if (!read.ok) return await fail(deps, claimed, failureOf(read.faults), { mayHelp: false });
    return { requests: read.requests, delivered };
  } catch (error) {
    return await withoutRequests(deps, claimed, error);
  } finally {
    free();
  }
}

/** What remains to be done with the requests of a delivery. */
interface ToSend {
  readonly requests: readonly ResultRequest[];
  /** The header with the secret, if there is one. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  readonly own: Deadline;
  /** Whether the next attempt reads the page anew. */
  readonly hasFetch: boolean;
  readonly settle: (delivery: OpenDelivery, end: ResultEnd) => Promise<AttemptResult>;
}

/** Sends the requests in order, from the first one that is not known to have succeeded. */
async function sendAll(
  deps: ResultDeps,
  claimed: OpenDelivery,
  { requests, secretHeaders, own, hasFetch, settle }: ToSend,
): Promise<AttemptResult> {
  const { store, now } = deps;
  const queue = deliveriesIn(RESULT_DELIVERIES, store, now);
  let delivery = claimed;
  const progress = progressOf(claimed.state, requests);
  const first = progress.done;
  for (let index = first; index < requests.length; index++) {
    const request = requests[index];
    if (!request) break;
    if (index > first && own.remainingMs() <= 0) {
      const { state } = delivery;
      // An attempt that stopped early but made progress does not count.
      const next = { ...state, attempts: state.attempts - 1, isSending: false, dueMs: now() };
      return queue.settle(delivery, next);
    }
    const headers = { ...request.headers, ...ownHeaders(delivery.ref, delivery.state, index), ...secretHeaders };
    const sent = await deps.send({ ...request, headers });
    const last = lastRequest({ ...request, headers }, sent, { index, requests, nowMs: now() });
    const state = { ...delivery.state, last };
    if (sent.kind !== 'answered') {
      const { kind: reason, ...code } = sent;
      const failure = { reason, ...code, request: index + 1 };
      return fail(deps, { ...delivery, state }, failure, { mayHelp: reason === 'no-answer' });
    }
    const { status } = sent;
    if (status < 200 || status >= 300) {
      const failure = { reason: 'status', status, request: index + 1 } as const;
      const retryAfter = retryAfterSeconds(sent.headers['retry-after'], now());
      const isConflict = hasFetch && CONFLICTS.includes(status);
      return fail(deps, { ...delivery, state }, failure, {
        mayHelp: isBusyStatus(status) || isConflict,
        retryAfter,
        isConflict,
      });
    }
    if (index === requests.length - 1) return settle({ ...delivery, state }, 'sent');
    const dueMs = now() + RESULT_DELIVERIES.leaseMs;
    const noted = await queue.change<OpenResult>(delivery, {
      ...state,
      dueMs,
      progress: { ...progress, done: index + 1 },
    });
    // Another worker has the delivery, because the lease expired.
    if (!noted) return SKIPPED;
    delivery = noted;
  }
  return settle(delivery, 'sent');
}

/** Returns the headers that Segue adds to a request, without the secret. @param index that of the request, from 0 */
export function ownHeaders(
  { destination }: Pick<ResultRef, 'destination'>,
  { event, traceId }: Pick<OpenResult, 'event' | 'traceId'>,
  index: number,
): Record<string, string> {
  return {
    'user-agent': 'Segue',
    'idempotency-key': `${event.id}-${destination}-${index + 1}`,
    ...(traceId !== undefined && { traceparent: traceparentOf(traceId, event.id) }),
  };
}

/**
 * Returns how many of the requests are known to have succeeded. If an earlier attempt had other requests, because
 * translations or the mapping have changed since, it is none.
 */
function progressOf({ progress }: OpenResult, requests: readonly ResultRequest[]) {
  const salt = progress?.salt ?? randomBytes(16).toString('base64');
  const hash = createHash('sha256').update(salt).update(JSON.stringify(requests)).digest('base64');
  return progress?.hash === hash ? progress : { salt, hash, done: 0 };
}

/** Describes a request that was sent, without its URL, content and header values. */
function lastRequest(
  { method, headers, body = '' }: ResultRequest,
  sent: Sent,
  { index, requests, nowMs }: { readonly index: number; readonly requests: readonly unknown[]; readonly nowMs: number },
): LastRequest {
  const answer = sent.kind === 'answered' ? { status: sent.status, ...sizeOf(sent) } : {};
  const about = { request: index + 1, requests: requests.length, method, bytes: Buffer.byteLength(body) };
  return { ...about, headers: Object.keys(headers), ...answer, atUtc: utc(nowMs) };
}

function sizeOf({ body }: Extract<Sent, { kind: 'answered' }>) {
  return typeof body === 'string' ? {} : { answerBytes: body.length };
}

/** Ends or postpones an attempt whose fetch or mapping fails. @throws any other error */
function withoutRequests(deps: ResultDeps, claimed: OpenDelivery, error: unknown): Promise<AttemptResult> {
  const { state } = claimed;
  if (error instanceof NoSecret) return fail(deps, claimed, { reason: 'no-secret' }, { mayHelp: true });
  if (error instanceof FetchFailure) {
    const { message: detail, occurrence } = error;
    const mayHelp = error.mayHelp(deps.now() - state.openedAtMs);
    return fail(
      deps,
      claimed,
      { reason: 'fetch-failed', detail },
      { mayHelp, retryAfter: occurrence.retryAfterSeconds },
    );
  }
  if (!(error instanceof Problem) || error.name !== 'mapping-failed') throw error;
  const failure: ResultFailure = { reason: 'mapping-failed', detail: error.message };
  if (!(error instanceof MappingOverLimit)) return fail(deps, claimed, failure, { mayHelp: false });
  const overLimit = (state.overLimit ?? 0) + 1;
  const counted = { ...claimed, state: { ...state, overLimit } };
  return fail(deps, counted, failure, { mayHelp: overLimit < MAX_OVER_LIMIT });
}

/** Returns the failure of wrong requests: the first fault, and how many more there are. */
function failureOf(faults: readonly RequestFault[]): ResultFailure {
  const [{ request = 1, detail = '', isHost = false } = {}] = faults;
  const more = faults.length > 1 ? ` The requests have ${faults.length} faults.` : '';
  const reason = isHost && faults.every((fault) => fault.isHost) ? 'host-refused' : 'invalid-request';
  return { reason, request, detail: `${detail}${more}` };
}

const DETAILS = {
  'too-large': 'The segments of the language are more than 8 MiB of JSON, which is too much for one mapping.',
  'content-lost': 'The content of the project is lost.',
  changing: 'The project changed while Segue read it, again and again.',
} as const;

/** Ends or postpones an attempt whose project cannot be read. */
function withoutInput(
  deps: ResultDeps,
  claimed: OpenDelivery,
  kind: Exclude<ReadInput['kind'], 'input'>,
): Promise<AttemptResult> {
  const { store, now } = deps;
  const { state } = claimed;
  if (kind === 'busy') {
    // An attempt that only waited does not count.
    const next = { ...state, attempts: state.attempts - 1, isSending: false, dueMs: now() + SHORTEST_MS };
    return deliveriesIn(RESULT_DELIVERIES, store, now).settle(claimed, next);
  }
  if (kind === 'changing')
    return fail(deps, claimed, { reason: 'project-changing', detail: DETAILS.changing }, { mayHelp: true });
  if (kind === 'too-large' || kind === 'content-lost')
    return fail(deps, claimed, { reason: kind, detail: DETAILS[kind] }, { mayHelp: false });
  return deliveriesIn(RESULT_DELIVERIES, store, now).settle(claimed, doneState(state, kind, now()));
}

/** Returns the failure of an attempt for a company that may not use Segue; `undefined` if it may. */
async function suspension({ requireCompany }: ResultDeps, companyId: string): Promise<ResultFailure | undefined> {
  try {
    await requireCompany(companyId);
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.name === 'company-suspended') return { reason: error.name };
    throw error;
  }
}

interface FailureOptions {
  /** Whether another attempt may succeed. */
  readonly mayHelp: boolean;
  readonly retryAfter?: number | undefined;
  readonly isConflict?: boolean;
}

/** Stores the failure of an attempt. The delivery is attempted again later, or becomes a dead letter. */
async function fail(
  { store, now, random }: ResultDeps,
  claimed: OpenDelivery,
  failure: ResultFailure,
  { mayHelp, retryAfter, isConflict = false }: FailureOptions,
): Promise<AttemptResult> {
  const queue = deliveriesIn(RESULT_DELIVERIES, store, now);
  const { state } = claimed;
  const error = new ResultNotSent(failure);
  const nextMs = mayHelp ? queue.nextDueMs(state, random, retryAfter) : undefined;
  if (nextMs === undefined)
    return queue.settle(claimed, { ...keptOf(state), kind: 'dead', endedAtMs: now(), failure }, error);
  // The last attempt is at the end of the time, not after it.
  const latestMs = state.openedAtMs + RESULT_DELIVERIES.retry.openMs;
  const soonMs = isConflict && state.attempts <= CONFLICT.attempts ? now() + CONFLICT.ms * (1 + random()) : latestMs;
  const dueMs = Math.max(now() + SHORTEST_MS, Math.min(nextMs, latestMs, soonMs));
  return queue.settle(claimed, { ...state, isSending: false, failure, dueMs }, error);
}

function doneState(state: OpenResult, end: ResultEnd, nowMs: number) {
  return { ...keptOf(state), kind: 'done', endedAtMs: nowMs, end } as const;
}
