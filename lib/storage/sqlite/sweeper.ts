import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { transaction } from './transaction.ts';

/** How long the bytes of a dropped payload may stay. */
const SWEEP_AFTER_MS = 250;
/** How often what has expired is looked for. */
const EXPIRY_EVERY_MS = 60_000;
/** How much of it is removed at once. */
const EXPIRED_AT_ONCE = 100;
/** How long after a sweep that failed the next one is tried. */
const RETRY_AFTER_MS = 10_000;

/**
 * Removes the bytes of dropped payloads, and items that have expired. Overwriting half a megabyte takes longer than the rest of a deletion, so no
 * answer waits for it. What is to be done stands in the store: a process that is killed leaves it to the next.
 */
export class Sweeper {
  readonly #database: DatabaseSync;
  readonly #next: StatementSync;
  readonly #removePayload: StatementSync;
  readonly #done: StatementSync;
  readonly #checkpoint: StatementSync;
  readonly #removeExpired: StatementSync;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  readonly #expiry: NodeJS.Timeout;

  constructor(database: DatabaseSync, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#removeExpired = database.prepare(
      `DELETE FROM items WHERE (partition, sort) IN
       (SELECT partition, sort FROM items WHERE expires_at_ms < ? LIMIT ${EXPIRED_AT_ONCE})`,
    );
    this.#expiry = setInterval(() => this.wake(), EXPIRY_EVERY_MS).unref();
    this.#next = database.prepare('SELECT id FROM dropped LIMIT 1');
    this.#removePayload = database.prepare('DELETE FROM payloads WHERE id = ?');
    this.#checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#done = database.prepare('DELETE FROM dropped WHERE id = ?');
    this.wake();
  }

  /** Says that there may be something to do. */
  wake(): void {
    this.#sweepIn(SWEEP_AFTER_MS);
  }

  /** Does what is left to do, as far as the store lets it, and sweeps no more. */
  finish(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#expiry);
    try {
      while (this.#removeNext()) {}
    } catch {
      // As in a sweep: what is to be done stands in the table, and the next process does it.
    }
  }

  #sweepIn(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#sweep(), delayMs).unref();
  }

  /** One payload at a time, so that requests come in between. */
  #sweep(): void {
    this.#timer = undefined;
    try {
      if (this.#removeNext() || this.#removeSomeExpired()) this.#sweepIn(0);
      else if (!this.#emptyLog()) this.wake();
    } catch {
      // A full disk, or a busy store: what is to be done stands in the table.
      this.#sweepIn(RETRY_AFTER_MS);
    }
  }

  /** @returns whether there was one */
  #removeNext(): boolean {
    return transaction(this.#database, () => {
      const id = this.#next.get()?.['id'];
      if (typeof id !== 'string') return false;
      this.#removePayload.run(id);
      this.#done.run(id);
      return true;
    });
  }

  /** @returns whether there may be more */
  #removeSomeExpired(): boolean {
    return Number(this.#removeExpired.run(this.#now()).changes) === EXPIRED_AT_ONCE;
  }

  /**
   * Empties the write-ahead log, which holds what was deleted until it is written over.
   * @returns whether it could be: not while another connection reads
   */
  #emptyLog(): boolean {
    return this.#checkpoint.get()?.['busy'] === 0;
  }
}
