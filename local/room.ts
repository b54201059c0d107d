import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { BodyLimits, OperationId } from '../lib/contract/routes.ts';
import { Admission, type AdmissionOptions, type Place } from './admission.ts';
import { isGzip, mostBodyBytes, mostUnpackedBytes } from './body.ts';
import { SenderShares } from './sender-shares.ts';

/** A call of a function, as far as it decides how much memory the call may take. */
export interface Called {
  readonly operation: OperationId;
  /** Whether it is about a task: then a whole project is read into values, and perhaps written. */
  readonly isOfTask: boolean;
  /** Whether it asks for a page only. A whole list may take as much as an answer holds. */
  readonly isOfPage: boolean;
  /** Whether its sender is not known yet: a sign-in, a refresh, a webhook message, a page for everybody. */
  readonly isAnonymous: boolean;
  readonly limits: BodyLimits;
}

/** How patient the gateway is with those who wait and those who are slow. */
export type RoomOptions = Omit<AdmissionOptions, 'budget'>;

/** A request that asks for room. */
export interface Guest {
  readonly request: IncomingMessage;
  readonly called: Called;
  /** Reads the body. */
  readonly receive: () => Promise<Buffer | null>;
  /** Ends a connection whose body is slow in coming while others wait. */
  readonly hangUp: () => void;
}

/** A request that was let in, with its whole body. */
export interface Admitted {
  readonly place: Place;
  readonly body: Buffer | null;
}

/**
 * Waits until there is memory for a request's body, and then until there is memory for its call.
 * @throws {Refusal} what `Admission.enter` and `receive` throw
 */
export type Admit = (guest: Guest) => Promise<Admitted>;

const MB = 1_048_576;
/** A body that takes no more memory than its connection does anyway. */
const SMALL_BODY_BYTES = 8_192;
/** How often a body is in memory while it comes in: what there was until now is copied where it grows. */
const COPIES_RECEIVED = 2;
/** And while a function is at work: as text, as values, and as the values and the text of the answer. */
const COPIES_AT_WORK = 16;
/** What calls take beside their body. */
const CALL_BYTES = MB;
/** These may answer much, whatever they were asked. */
const READ_BYTES: Readonly<Partial<Record<OperationId, number>>> = {
  getProject: 4 * MB,
  getProjectByCustomId: 4 * MB,
  getOperation: 8 * MB,
  listProjects: 8 * MB,
};
const TASK_BYTES = 24 * MB;
/** The largest compressed answer, as bytes and as base64, beside the page that is read. */
const WHOLE_LIST_BYTES = 24 * MB;
/** For the bodies of anonymous requests, and how much of it one sender may have. */
const ANONYMOUS_BYTES = 8 * MB;
const SENDER_BYTES = 2 * MB;
/** What takes more is a large call. */
const SMALL_CALL_BYTES = 8 * MB;

/** A client that is slower than 50 KB a second gives way to others. */
const USUAL = { patienceMs: 5_000, progressBytes: 256_000, waitMs: 60_000, now: () => performance.now() };

/**
 * Shares out the memory that there is for requests. Bodies on their way, large calls, reads, and all other calls wait
 * for their like alone: neither who sends or reads slowly nor a crowd of large requests holds up the small ones.
 * Anonymous bodies, calls and reads have no part in any of these.
 */
export function createRoom(options: Partial<RoomOptions> = {}): Admit {
  const shared = { ...USUAL, ...options };
  const bodies = new Admission({ budget: 32 * MB, ...shared });
  const large = new Admission({ budget: 64 * MB, ...shared });
  const reads = new Admission({ budget: 48 * MB, ...shared });
  const others = new Admission({ budget: 32 * MB, ...shared });
  const anonymousBodies = new SenderShares({ budget: ANONYMOUS_BYTES, shareBytes: SENDER_BYTES, ...shared });
  const anonymousCalls = new Admission({ budget: 16 * MB, ...shared });
  const anonymousReads = new Admission({ budget: 16 * MB, ...shared });

  async function receiveBody({ request, called, receive, hangUp }: Guest, isGone: () => boolean) {
    const mostBytes = mostBodyBytes(request, called.limits);
    if (mostBytes <= SMALL_BODY_BYTES) return { body: await receive() };
    const bytes = COPIES_RECEIVED * mostBytes;
    const place = called.isAnonymous
      ? await anonymousBodies.enter(request.socket.remoteAddress ?? '', bytes, isGone)
      : await bodies.enter(bytes, isGone);
    place.lend({ end: hangUp, progress: () => request.socket.bytesRead });
    try {
      return { body: await receive(), place };
    } catch (error) {
      place.leave();
      throw error;
    } finally {
      place.reclaim();
    }
  }

  function callsLike({ operation, isAnonymous, limits }: Called, bytes: number): Admission {
    if (isAnonymous) return limits.mostBytes > 0 ? anonymousCalls : anonymousReads;
    if (bytes > SMALL_CALL_BYTES) return large;
    return operation in READ_BYTES ? reads : others;
  }

  return async (guest) => {
    const isGone = () => guest.request.socket.destroyed;
    const { body, place } = await receiveBody(guest, isGone);
    try {
      const bytes = callBytes(guest.called, body);
      return { body, place: await callsLike(guest.called, bytes).enter(bytes, isGone) };
    } finally {
      place?.leave();
    }
  };
}

function callBytes({ operation, isOfTask, isOfPage, limits }: Called, body: Buffer | null): number {
  const length = body?.length ?? 0;
  const bodyBytes = body && isGzip(body) ? Math.min(mostUnpackedBytes(length), limits.mostBytes) : length;
  const readBytes =
    operation === 'listProjects' && !isOfPage ? WHOLE_LIST_BYTES : (READ_BYTES[operation] ?? CALL_BYTES);
  return readBytes + COPIES_AT_WORK * bodyBytes + (isOfTask ? TASK_BYTES : 0);
}
