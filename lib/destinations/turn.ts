import { deliveriesIn, type StoredDelivery } from '../deliveries/queue.ts';
import { eachItem, type ListedStore } from '../storage/port.ts';
import {
  keptOf,
  languagePrefix,
  type OpenResult,
  RESULT_DELIVERIES,
  type ResultEnd,
  type ResultRef,
  type ResultState,
  readResultState,
  resultAt,
  resultPartition,
} from './deliveries.ts';

/** The pause before a delivery looks again whether another one has ended, in milliseconds. */
const RECHECK_MS = 1_000;
/** The most other deliveries of a language to look at, open and ended. */
const MAX_LOOKED = 100;
const PAGE = { limit: 10, maxBytes: 1_000_000 };

/** Whether a delivery may start: now, later, or no more, because a newer event takes its place. */
export type Turn =
  | { readonly kind: 'now' }
  | { readonly kind: 'later'; readonly atMs: number }
  | { readonly kind: 'superseded' };

/** The dependencies of `takeTurn`. */
export interface TurnDeps {
  readonly store: ListedStore;
  readonly now: () => number;
}

/**
 * Finds out whether it is the turn of a due delivery. Of a project and language, a destination gets one delivery at a
 * time, in the order of the events. A newer event of the same type takes the place of one that waits: its delivery ends
 * the older one here, so that a worker that is about to start the older one fails to take its lease. After the deletion of a
 * project, that goes for all deliveries of the project.
 */
export async function takeTurn(deps: TurnDeps, { ref, state }: StoredDelivery<ResultRef, OpenResult>): Promise<Turn> {
  const { now } = deps;
  const isDeletion = state.event.type === 'project.deleted';
  let looked = 0;
  for await (const other of others(deps.store, ref, isDeletion ? '' : languagePrefix(ref))) {
    if (!isDeletion && looked++ === MAX_LOOKED) break;
    const isNewer = !isDeletion && other.ref.sequence > ref.sequence;
    const isSame = other.state.event.type === state.event.type;
    if (other.state.kind === 'dead') continue;
    if (isNewer && isSame) return { kind: 'superseded' };
    if (other.state.kind !== 'open') continue;
    if (other.state.isSending && other.state.dueMs > now()) return { kind: 'later', atMs: now() + RECHECK_MS };
    if (isNewer) continue;
    if (!isSame && !isDeletion) return { kind: 'later', atMs: Math.max(other.state.dueMs, now() + RECHECK_MS) };
    const ended = await endAs(deps, { ...other, state: other.state }, isDeletion ? 'project-deleted' : 'superseded');
    if (!ended) return { kind: 'later', atMs: now() + RECHECK_MS };
  }
  return { kind: 'now' };
}

/** Ends an open delivery that need not be sent. @returns whether it was unchanged since it was read */
async function endAs(
  { store, now }: TurnDeps,
  delivery: StoredDelivery<ResultRef, OpenResult>,
  end: ResultEnd,
): Promise<boolean> {
  const next = { ...keptOf(delivery.state), kind: 'done', endedAtMs: now(), end } as const;
  return (await deliveriesIn(RESULT_DELIVERIES, store, now).change(delivery, next)) !== undefined;
}

/** Yields the other deliveries of a project to a destination, those of the newest events of a language first. */
async function* others(
  store: ListedStore,
  ref: ResultRef,
  prefix: string,
): AsyncGenerator<StoredDelivery<ResultRef, ResultState>> {
  for await (const item of eachItem(store, resultPartition(ref), prefix, PAGE)) {
    const other = resultAt(item);
    if (!other || (other.languageId === ref.languageId && other.sequence === ref.sequence)) continue;
    yield { ref: other, state: readResultState(item.data), version: item.version };
  }
}
