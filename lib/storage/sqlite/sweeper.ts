import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isBusy, transaction } from './database.ts';

/** How long the bytes of a dropped payload may stay. */
const SWEEP_AFTER_MS = 250;
/** How many payloads are removed at once, and how many bytes of these are overwritten: one payload at least. */
const PAYLOADS_AT_ONCE = 50;
const BYTES_AT_ONCE = 1_048_576;
/** How often what has expired is looked for. */
const EXPIRY_EVERY_MS = 60_000;
/** How much of it is removed at once. */
const EXPIRED_AT_ONCE = 100;
/** How long after a sweep that failed the next one is tried. */
const RETRY_AFTER_MS = 10_000;
/** How long after bytes were removed the file is written anew. */
const REWRITE_AFTER_MS = 60_000;
/** The file is not written anew for more than this part of the time: that takes longer the larger it is, and all wait. */
const REWRITE_SHARE = 1 / 200;

/**
 * Removes the bytes of dropped payloads, and items that have expired. Overwriting half a megabyte takes longer than the
 * rest of a deletion, so no answer waits for it. What is to be done stands in the store: a process that is killed leaves
 * it to the next.
 *
 * SQLite overwrites what it removes, but not the copies of a row that it may have left when it moved rows between pages.
 * So after a while the whole file is written anew.
 */
export class Sweeper {
  readonly #database: DatabaseSync;
  readonly #next: StatementSync;
  readonly #removePayload: StatementSync;
  readonly #done: StatementSync;
  readonly #checkpoint: StatementSync;
  readonly #removeExpired: StatementSync;
  readonly #now: () => number;
  readonly #rewriteAfterMs: number;
  #timer: NodeJS.Timeout | undefined;
  #rewriteTimer: NodeJS.Timeout | undefined;
  /** How long the last one took. */
  #rewriteMs = 0;
  #hasRemoved = false;
  readonly #expiry: NodeJS.Timeout;

  constructor(database: DatabaseSync, now: () => number, rewriteAfterMs = REWRITE_AFTER_MS) {
    this.#database = database;
    this.#now = now;
    this.#rewriteAfterMs = rewriteAfterMs;
    this.#removeExpired = database.prepare(
      `DELETE FROM items WHERE (partition, sort) IN
       (SELECT partition, sort FROM items WHERE expires_at_ms < ? LIMIT ${EXPIRED_AT_ONCE})`,
    );
    this.#expiry = setInterval(() => this.wake(), EXPIRY_EVERY_MS).unref();
    this.#next = database.prepare(
      `SELECT id, length(bytes) AS bytes FROM dropped LEFT JOIN payloads USING (id) LIMIT ${PAYLOADS_AT_ONCE}`,
    );
    this.#removePayload = database.prepare('DELETE FROM payloads WHERE id = ?');
    this.#checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#done = database.prepare('DELETE FROM dropped WHERE id = ?');
    this.wake();
  }

  /** Says that there may be something to do. */
  wake(): void {
    this.#sweepIn(SWEEP_AFTER_MS);
  }

  /** Does what is left to do, as far as it can be done now, and sweeps no more. */
  finish(): void {
    this.stop();
    try {
      this.removeDropped();
      if (this.#hasRemoved) this.#rewrite();
    } catch {
      // Another process has the store, or the disk is full: whoever opens it next goes on.
    }
  }

  /** Sweeps no more, and leaves what there is to do to the next one. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rewriteTimer);
    clearInterval(this.#expiry);
  }

  /** Removes every payload that was dropped until now; the file is not written anew. */
  removeDropped(): void {
    while (this.#removeSome()) {}
  }

  #sweepIn(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#sweep(), delayMs).unref();
  }

  /** A little at a time, so that requests come in between; many small payloads, or deletions would be faster than this. */
  #sweep(): void {
    this.#timer = undefined;
    try {
      if (this.#removeSome() || this.#removeSomeExpired()) this.#sweepIn(0);
      else if (!this.#emptyLog()) this.wake();
      else if (this.#isToBeRewritten()) this.#rewriteIn(this.#rewriteAfterMs);
    } catch (error) {
      // A full disk, or a busy store: what is to be done stands in the table.
      this.#sweepIn(isBusy(error) ? SWEEP_AFTER_MS : RETRY_AFTER_MS);
    }
  }

  /** @returns whether there was one */
  #removeSome(): boolean {
    return transaction(this.#database, () => {
      const next = this.#next.all();
      let bytes = 0;
      for (const row of next) {
        if (bytes >= BYTES_AT_ONCE) break;
        bytes += Number(row['bytes']);
        const id = String(row['id']);
        this.#removePayload.run(id);
        this.#done.run(id);
      }
      if (next.length > 0) this.#mark();
      return next.length > 0;
    });
  }

  /** @returns whether there may be more */
  #removeSomeExpired(): boolean {
    return transaction(this.#database, () => {
      const removed = Number(this.#removeExpired.run(this.#now()).changes);
      if (removed > 0) this.#mark();
      return removed === EXPIRED_AT_ONCE;
    });
  }

  /** Says, in the header of the file, that it is to be written anew. */
  #mark(): void {
    this.#hasRemoved = true;
    this.#database.exec('PRAGMA application_id = 1');
  }

  #isToBeRewritten(): boolean {
    return this.#database.prepare('PRAGMA application_id').get()?.['application_id'] === 1;
  }

  #rewriteIn(delayMs: number): void {
    this.#rewriteTimer ??= setTimeout(
      () => {
        this.#rewriteTimer = undefined;
        try {
          this.#rewrite();
        } catch {
          // Somebody else reads, or the disk is full: the header still says what is to be done.
          this.#rewriteIn(RETRY_AFTER_MS);
        }
      },
      Math.max(delayMs, this.#rewriteMs / REWRITE_SHARE),
    ).unref();
  }

  #rewrite(): void {
    const began = performance.now();
    this.#database.exec('VACUUM');
    this.#database.exec('PRAGMA application_id = 0');
    this.#checkpoint.get();
    this.#hasRemoved = false;
    this.#rewriteMs = performance.now() - began;
  }

  /**
   * Empties the write-ahead log, which holds what was deleted until it is written over.
   * @returns whether it could be: not while another connection reads
   */
  #emptyLog(): boolean {
    return this.#checkpoint.get()?.['busy'] === 0;
  }
}
