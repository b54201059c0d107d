import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isBusy, transaction } from './database.ts';

/** How long the bytes of a dropped payload may stay. */
const SWEEP_AFTER_MS = 250;
/** How many payloads one step removes, and after how many bytes it stops: at least one payload. */
const PAYLOADS_AT_ONCE = 50;
const BYTES_AT_ONCE = 1_048_576;
/** How often the sweeper looks for expired items. */
const EXPIRY_EVERY_MS = 60_000;
/** How many expired items one step removes. */
const EXPIRED_AT_ONCE = 100;
/** The pause after a failed sweep. */
const RETRY_AFTER_MS = 10_000;
/** How long after a removal the file is rewritten. */
const REWRITE_AFTER_MS = 60_000;
/** The largest share of the time that rewriting may take: everything waits for it, longer if the file is larger. */
const REWRITE_SHARE = 1 / 200;

/**
 * Removes the bytes of dropped payloads, and expired items. Overwriting half a megabyte takes longer than the rest of a
 * deletion, so no answer waits for it. The store lists the work to do: if a process is killed, the next one continues.
 *
 * SQLite overwrites deleted rows, but not the copies that it may have left when it moved rows between pages. So the whole
 * file is rewritten after a while.
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
  /** How long the last rewrite took. */
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

  /** Schedules a sweep. */
  wake(): void {
    this.#sweepIn(SWEEP_AFTER_MS);
  }

  /** Ends sweeping. Does the work that is left, as far as it can be done now. */
  finish(): void {
    this.stop();
    try {
      this.removeDropped();
      if (this.#hasRemoved) this.#rewrite();
    } catch {
      // Another process writes, or the disk is full: the next process continues.
    }
  }

  /** Ends sweeping. Leaves the work to the next process. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rewriteTimer);
    clearInterval(this.#expiry);
  }

  /** Removes every dropped payload. Does not rewrite the file. */
  removeDropped(): void {
    while (this.#removeSome()) {}
  }

  #sweepIn(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#sweep(), delayMs).unref();
  }

  /** Does one step, so that requests are served between steps. A step takes several payloads, or deletions would outrun it. */
  #sweep(): void {
    this.#timer = undefined;
    try {
      if (this.#removeSome() || this.#removeSomeExpired()) this.#sweepIn(0);
      else if (!this.#emptyLog()) this.wake();
      else if (this.#isRewriteRequested()) this.#rewriteIn(this.#rewriteAfterMs);
    } catch (error) {
      // A full disk, or a busy store: the work is still in the table.
      this.#sweepIn(isBusy(error) ? SWEEP_AFTER_MS : RETRY_AFTER_MS);
    }
  }

  /** Removes some dropped payloads. @returns whether there were any */
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
      if (next.length > 0) this.#requestRewrite();
      return next.length > 0;
    });
  }

  /** Removes some expired items. @returns whether there may be more */
  #removeSomeExpired(): boolean {
    return transaction(this.#database, () => {
      const removed = Number(this.#removeExpired.run(this.#now()).changes);
      if (removed > 0) this.#requestRewrite();
      return removed === EXPIRED_AT_ONCE;
    });
  }

  /** Marks in the header of the file that it has to be rewritten. */
  #requestRewrite(): void {
    this.#hasRemoved = true;
    this.#database.exec('PRAGMA application_id = 1');
  }

  #isRewriteRequested(): boolean {
    return this.#database.prepare('PRAGMA application_id').get()?.['application_id'] === 1;
  }

  #rewriteIn(delayMs: number): void {
    this.#rewriteTimer ??= setTimeout(
      () => {
        this.#rewriteTimer = undefined;
        try {
          this.#rewrite();
        } catch {
          // Another process reads, or the disk is full: the header still has the request.
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
   * Empties the write-ahead log, which contains deleted data until it is overwritten.
   * @returns `false` while another connection reads
   */
  #emptyLog(): boolean {
    return this.#checkpoint.get()?.['busy'] === 0;
  }
}
