import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import { backoffMs, MAX_RETRY_AFTER_SECONDS } from '../service/retry.ts';
import { eachItem, type Item, type Key, type ListedStore, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { type DueListOptions, dueList, type OfCompany } from './due-list.ts';
import type { AttemptResult, DueWorkerOptions } from './due-worker.ts';

/** The fields of a delivery in every state. */
export const EVERY = {
  companyId: z.string(),
  /** The trace of the request that made the delivery. */
  traceId: z.optional(z.string()),
  /** How many attempts count, since the delivery was opened or redriven. */
  attempts: z.int(),
};
/** The fields of a delivery that has not ended. */
export const OPEN = {
  kind: z.literal('open'),
  ...EVERY,
  /** When the delivery was opened or redriven, in milliseconds since 1970. */
  openedAtMs: z.number(),
  /** When the next attempt is due, in milliseconds since 1970. During an attempt, when its lease expires. */
  dueMs: z.number(),
};
/** The fields of a delivery that has ended. */
export const ENDED = { ...EVERY, endedAtMs: z.number() };

const Open = recordOf(() => OPEN);
const Ended = recordOf(() => ({ kind: z.enum(['done', 'dead', 'dropped']), ...ENDED }));
type OpenState = z.infer<typeof Open>;
/** The state of a delivery, as it is stored. Each kind of delivery adds fields. */
type DeliveryState = OpenState | z.infer<typeof Ended>;
type In<State, Kind> = Extract<State, { readonly kind: Kind }>;

/** When attempts at a delivery are repeated, and when it becomes a dead letter. */
export interface RetryPolicy {
  /** The first and the longest pause, in milliseconds. Each pause is twice as long as the one before. */
  readonly firstMs: number;
  readonly longestMs: number;
  /** The number of failed attempts after which a delivery becomes a dead letter. */
  readonly maxAttempts: number;
  /** How long a delivery may be open, in milliseconds. If a later attempt fails, it becomes a dead letter. */
  readonly openMs: number;
}

/** One kind of delivery: where it is stored, and how it is shared out, leased and repeated. */
interface DeliveryKind<Ref, State extends DeliveryState>
  extends Omit<DueListOptions<Ref & OfCompany>, 'latestDueMs'>,
    Pick<DueWorkerOptions<Ref & OfCompany>, 'letters' | 'maxRunning' | 'maxRunningOfGroup' | 'attemptMs'> {
  /** Returns the key of a delivery. */
  readonly keyOf: (ref: Ref) => Key;
  /** Parses the stored state of a delivery. @throws if the data has another shape */
  readonly parse: (data: unknown) => State;
  /** How long the lease of an attempt lasts, in milliseconds: longer than an attempt. */
  readonly leaseMs: number;
  /** How long a delivery is kept after its end, in milliseconds. */
  readonly keptMs: number;
  readonly retry: RetryPolicy;
  /** What a command reports if another one has changed the same dead letter. */
  readonly changedAtOnce: string;
}

/** A kind of delivery, with the list of those that are open. */
type DeliveryQueue<Ref, State extends DeliveryState> = ReturnType<typeof deliveryQueue<Ref, State>>;

/** Makes the queue of a kind of delivery. */
export function deliveryQueue<Ref, State extends DeliveryState>(kind: DeliveryKind<Ref, State>) {
  const longestMs = kind.retry.longestMs + MAX_RETRY_AFTER_SECONDS * 1_000;
  return { ...kind, list: dueList({ ...kind, latestDueMs: (nowMs) => nowMs + longestMs }) };
}

/** A delivery as the store returned it. The next change succeeds only if the store still has this version. */
export interface StoredDelivery<Ref, State> {
  readonly ref: Ref;
  readonly state: State;
  readonly version: number;
}

/** The fields of a delivery that is opened now, or again. */
export function openedAt(nowMs: number) {
  return { kind: 'open', attempts: 0, openedAtMs: nowMs, dueMs: nowMs } as const;
}

/** Whether an item has not expired. The store may still return expired items. */
export function isLive({ expiresAtMs = Number.POSITIVE_INFINITY }: Item, nowMs: number): boolean {
  return expiresAtMs > nowMs;
}

/** An attempt that did nothing. */
export const SKIPPED: AttemptResult = { end: 'skipped' };
const ENDS = { open: 'postponed', done: 'done', dead: 'dead', dropped: 'done' } as const;

/**
 * Reads and changes the deliveries of a queue in a store.
 * @param now returns the time, in milliseconds since 1970
 */
export function deliveriesIn<Ref, State extends DeliveryState>(
  queue: DeliveryQueue<Ref, State>,
  store: ListedStore,
  now: () => number,
) {
  const { list, letters, retry } = queue;
  type Stored<S = State> = StoredDelivery<Ref, S>;

  /** Reads a delivery; `undefined` if it is unknown or has expired. */
  async function read(ref: Ref): Promise<Stored | undefined> {
    const item = await store.read(queue.keyOf(ref));
    return item && isLive(item, now()) ? { ref, state: queue.parse(item.data), version: item.version } : undefined;
  }

  /** Reads a delivery that is in one state; `undefined` if it is in another one. */
  async function readIn<Kind extends State['kind']>(
    kind: Kind,
    ref: Ref,
  ): Promise<Stored<In<State, Kind>> | undefined> {
    const isIn = (state: State): state is In<State, Kind> => state.kind === kind;
    const found = await read(ref);
    return found && isIn(found.state) ? { ...found, state: found.state } : undefined;
  }

  /** Returns the key of a delivery in the list of open deliveries or dead letters; `undefined` in other states. */
  function entryKey(delivery: Ref, state: DeliveryState): Key | undefined {
    const ref = { ...delivery, companyId: state.companyId };
    if (state.kind === 'open') return list.keyOf(ref, state.dueMs);
    if (state.kind !== 'dead') return undefined;
    const time = String(state.endedAtMs).padStart(13, '0');
    return { partition: letters, sort: `${time}/${ref.companyId}/${queue.write(ref)}` };
  }

  /**
   * Changes the state of a delivery, and its entry in the list of open deliveries or dead letters, in one batch. The
   * batch expects the version that was read. A worker that takes the lease changes the version, so a worker that has
   * lost its lease changes nothing.
   * @param next absent if nothing of the delivery is kept
   * @param others further writes for the same batch
   * @returns the delivery after the change; `undefined` if the store refused the batch because an item has changed
   */
  async function change<Next extends State | undefined>(
    { ref, state, version }: Stored,
    next: Next,
    others: readonly Write[] = [],
  ): Promise<Stored<Next> | undefined> {
    const key = queue.keyOf(ref);
    const before = entryKey(ref, state);
    const after = next && entryKey(ref, next);
    const expiry = next && next.kind !== 'open' ? { expiresAtMs: next.endedAtMs + queue.keptMs } : {};
    // What is not kept must not stay in the files of the store: a delivery may have the URL of a receiver.
    const writes: Write[] = [
      next ? { kind: 'replace', key, version, data: next, ...expiry } : { kind: 'remove', key, version, erase: true },
    ];
    if (before?.sort !== after?.sort) {
      // The entry of a list is never replaced, so its version is always 1.
      if (before) writes.push({ kind: 'remove', key: before, version: 1 });
      if (after) writes.push({ kind: 'insert', key: after, data: {}, ...expiry });
    }
    const { ok } = await store.commit({ writes: [...writes, ...others] });
    return ok ? { ref, state: next, version: version + 1 } : undefined;
  }

  return {
    read,
    readIn,
    change,
    /** Reads a delivery of which an attempt is due; `undefined` if it has ended, or another worker has it. */
    async readDue(ref: Ref) {
      const found = await readIn('open', ref);
      return found && list.isDue(found.state.dueMs, now()) ? found : undefined;
    },
    /**
     * Takes the lease of a delivery for an attempt, which counts from now on. If the process dies during the attempt,
     * the next one starts when the lease expires.
     * @param claimed the state of the delivery, with what its kind changes for an attempt
     */
    claim<Claimed extends State & OpenState>(delivery: Stored<Claimed>, claimed: Claimed = delivery.state) {
      const leased = { ...claimed, attempts: claimed.attempts + 1, dueMs: now() + queue.leaseMs };
      return change<Claimed>(delivery, leased);
    },
    /** Stores the end of an attempt. @param next absent if the delivery is done, and nothing of it is kept */
    async settle(delivery: Stored, next?: State, error?: unknown, others?: readonly Write[]): Promise<AttemptResult> {
      if (!(await change(delivery, next, others))) return SKIPPED;
      const { companyId, traceId } = delivery.state;
      return { end: ENDS[next?.kind ?? 'done'], companyId, traceId, error };
    },
    /**
     * Returns when the next attempt at a delivery is due after one failed; `undefined` if it becomes a dead letter. Each
     * pause is at least half of its maximum: with full jitter, all attempts could be used up early.
     */
    nextDueMs({ attempts, openedAtMs }: OpenState, random: () => number, retryAfterSeconds?: number) {
      if (attempts >= retry.maxAttempts || now() - openedAtMs >= retry.openMs) return undefined;
      return now() + backoffMs(Math.max(1, attempts), retry, 1 - random() / 2, retryAfterSeconds);
    },
    /** Lists the dead letters, the newest first. @param isWanted selects some of them */
    async *letters(isWanted: (ref: Ref & OfCompany) => boolean): AsyncGenerator<Ref & In<State, 'dead'>> {
      for await (const item of eachItem(store, letters, '')) {
        if (!isLive(item, now())) return;
        const [, companyId = '', ...text] = item.sort.split('/');
        const ref = queue.read(companyId, text.join('/'));
        const letter = isWanted(ref) ? await readIn('dead', ref) : undefined;
        if (letter) yield { ...ref, ...letter.state };
      }
    },
    /** Opens or drops a dead letter. @throws {Problem} `unavailable` if another caller has changed it meanwhile */
    async changeLetter(letter: Stored<In<State, 'dead'>>, next: State, others?: readonly Write[]): Promise<void> {
      if (await change(letter, next, others)) return;
      throw new Problem('unavailable', { detail: queue.changedAtOnce });
    },
  };
}
