import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import { RoundRobin } from './round-robin.ts';

interface Waiter {
  readonly share: string;
  readonly go: () => void;
}

const waiting = new RoundRobin<Waiter>();
const companies = new AsyncLocalStorage<string>();
/** How many turns in a row may go by without work. */
const MAX_FREE_TURNS = 64;
let freeTurns = 0;
let isFree = false;

/** Does work for a company. Its turns of the event loop count as turns of the company. */
export function shareTurns<T>(companyId: string, work: () => T): T {
  return companies.run(companyId, work);
}

/**
 * Waits for a turn of the event loop of its own. Only one of all callers goes on in each turn: of the company whose last
 * turn was longest ago, the caller that has waited longest. So however many requests and jobs have work to do, a new
 * request waits for one slice of it at most, and each of its own turns for one slice of each other company.
 */
export function nextTurn(): Promise<void> {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  if (waiting.isEmpty) setImmediate(startNext);
  waiting.add({ share: companies.getStore() ?? '', go });
  return promise;
}

/**
 * Lets a turn go by before work goes on. Node accepts one connection in each turn: if work went on in each of them, a new
 * connection would wait for as many slices as there are connections before it.
 */
export function freeTurn(): void {
  isFree = true;
}

function startNext(): void {
  const next = waiting.first();
  if (!next) return;
  const goesBy = isFree && freeTurns < MAX_FREE_TURNS;
  isFree = false;
  freeTurns = goesBy ? freeTurns + 1 : 0;
  if (!goesBy) {
    waiting.take(next);
    next.go();
  }
  if (!waiting.isEmpty) setImmediate(startNext);
}

/** Runs work to its end, each step after the first in a turn of its own. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
  }
}

/** The number of small items that one slice of long work handles, in a few milliseconds at most. */
export const ITEMS_OF_SLICE = 1_000;

/** Divides small items into slices. Other work has a turn between two of them. */
export async function* slicesOf<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += ITEMS_OF_SLICE) {
    if (at > 0) await nextTurn();
    yield items.slice(at, at + ITEMS_OF_SLICE);
  }
}
