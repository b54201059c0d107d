import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import { RoundRobin } from './round-robin.ts';

interface Waiter {
  readonly share: string;
  readonly go: () => void;
}

/** How long the slices of one turn may take together, in milliseconds. A longer slice is the last one of its turn. */
const TURN_MS = 2;
/** How many turns in a row may go by without work. */
const MAX_FREE_TURNS = 64;

/** Callers whose next slice has not begun. Each has one `setImmediate` of its own. */
const waiting = new RoundRobin<Waiter>();
const companies = new AsyncLocalStorage<string>();
let isFree = false;
let freeTurns = 0;
/** Whether a turn has begun that is not over yet. */
let isTurn = false;
/** From when on no slice begins in this turn. */
let endsAtMs = 0;

/** Does work for a company. Its turns of the event loop count as turns of the company. */
export function shareTurns<T>(companyId: string, work: () => T): T {
  return companies.run(companyId, work);
}

/**
 * Waits for a later turn of the event loop. In each turn some short slices of work go on, or a long one, and then other
 * requests. First goes the company whose last slice was longest ago, with the caller that has waited longest. So however
 * many requests and jobs have work to do, a new request waits for one long slice at most, and each of its own slices for
 * one of each other company.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  waiting.add({ share: companies.getStore() ?? '', go });
  setImmediate(startNext);
  return promise;
}

/**
 * Lets a turn go by before work goes on. Node accepts one connection in each turn: if work went on in each of them, a new
 * connection would wait for as many slices as there are connections before it.
 */
export function freeTurn(): void {
  isFree = true;
}

/** Lets the next caller go on. Its slice runs before the next `setImmediate` of this turn. */
function startNext(): void {
  if (!isTurn) startTurn();
  if (performance.now() >= endsAtMs) {
    setImmediate(startNext);
    return;
  }
  const next = waiting.first();
  if (!next) return;
  waiting.take(next);
  next.go();
}

function startTurn(): void {
  isTurn = true;
  setImmediate(() => {
    isTurn = false;
  });
  const goesBy = isFree && freeTurns < MAX_FREE_TURNS;
  isFree = false;
  freeTurns = goesBy ? freeTurns + 1 : 0;
  endsAtMs = performance.now() + (goesBy ? 0 : TURN_MS);
}

/** Runs work to its end, each step after the first in a turn of its own. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

/** How many small items one slice of long work handles, in a few milliseconds at most. */
const ITEMS_OF_SLICE = 1_000;

/**
 * Handles items in turns, some in each.
 * @param sizeOf returns as how many small items an item counts, by default as one
 */
export function eachInTurns<T>(
  items: Iterable<T>,
  handle: (item: T) => void,
  sizeOf: (item: T) => number = () => 1,
): Promise<void> {
  function* steps(): Generator<void, void> {
    let size = 0;
    for (const item of items) {
      if (size >= ITEMS_OF_SLICE) {
        yield;
        size = 0;
      }
      handle(item);
      size += sizeOf(item);
    }
  }
  return inTurns(steps());
}
