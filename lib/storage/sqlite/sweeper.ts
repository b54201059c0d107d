import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isBusy } from './database.ts';
import { Room } from './room.ts';

/**
 * The delay between the request for a sweep and its start, in milliseconds. A sweep waits for the disk several times, so
 * it serves the deletions of most of a second.
 */
const SWEEP_AFTER_MS = 750;
/** The maximum number of payloads that one step removes. */
const PAYLOADS_AT_ONCE = 50;
/** The number of bytes after which a step removes no further payload. */
const BYTES_AT_ONCE = 1_048_576;
/** How often the sweeper looks for expired items, in milliseconds. */
const EXPIRY_EVERY_MS = 60_000;
/** The maximum number of expired items that one step removes. */
const EXPIRED_AT_ONCE = 100;
/** The pause after a failed sweep or rewrite, in milliseconds. */
const RETRY_AFTER_MS = 10_000;
/** The delay between a removal and the rewrite of the file, in milliseconds. */
const REWRITE_AFTER_MS = 60_000;
/**
 * The maximum share of the time that rewrites may take. All requests wait for a rewrite, and a large file takes longer.
 */
const REWRITE_SHARE = 1 / 200;

interface SweeperOptions {
  readonly room?: Room;
  /** The delay between a removal and the rewrite of the file, in milliseconds. */
  readonly rewriteAfterMs?: number;
}

/**
 * Removes the bytes of dropped payloads and expired items in the background. To overwrite half a megabyte takes longer
 * than the rest of a deletion, so no answer waits for it. The table `dropped` lists the payloads to remove. If a
 * process is killed, the next process continues. The name of payloads inside their items, which are gone with these, is in the
 * list too: it is a reason to rewrite the file.
 *
 * SQLite overwrites deleted rows. But when it moved rows between pages, it may have left copies, which it does not
 * overwrite. So the sweeper rewrites the whole file after a while.
 */
export class Sweeper {
  readonly #database: DatabaseSync;
  readonly #next: StatementSync;
  readonly #removePayload: StatementSync;
  readonly #done: StatementSync;
  readonly #room: Room;
  readonly #removeExpired: StatementSync;
  readonly #now: () => number;
  readonly #rewriteAfterMs: number;
  #timer: NodeJS.Timeout | undefined;
  #rewriteTimer: NodeJS.Timeout | undefined;
  /** How long the last rewrite took, in milliseconds. */
  #rewriteMs = 0;
  /** Whether this sweeper has removed something since the last rewrite. */
  #hasRemoved = false;
  readonly #expiry: NodeJS.Timeout;

  constructor(
    database: DatabaseSync,
    now: () => number,
    { room = new Room(database), rewriteAfterMs = REWRITE_AFTER_MS }: SweeperOptions = {},
  ) {
    this.#database = database;
    this.#room = room;
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
    this.#done = database.prepare('DELETE FROM dropped WHERE id = ?');
    this.wake();
  }

  /** Schedules a sweep, if none is scheduled. */
  wake(): void {
    this.#sweepIn(SWEEP_AFTER_MS);
  }

  /** Stops the sweeper, after it has removed all dropped payloads. Leaves work that fails to the next process. */
  finish(): void {
    this.stop();
    try {
      this.removeDropped();
      if (this.#hasRemoved) this.#rewrite();
    } catch {
      // Another process is writing, or the disk is full. The next process continues.
    }
  }

  /** Stops the sweeper, and leaves the remaining work to the next process. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#rewriteTimer);
    clearInterval(this.#expiry);
  }

  /** Removes every dropped payload and expired item now. Does not rewrite the file. */
  removeDropped(): void {
    while (this.#removeSome()) {}
  }

  #sweepIn(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#sweep(), delayMs).unref();
  }

  /**
   * Does one step of a sweep, and schedules the next, so that requests run between steps. A step removes several
   * payloads. Otherwise many deletions could drop payloads faster than the sweeper removes them.
   */
  #sweep(): void {
    this.#timer = undefined;
    try {
      if (this.#removeSome()) this.#sweepIn(0);
      else if (!this.#room.emptyLog()) this.wake();
      else if (this.#isRewriteRequested()) this.#rewriteIn(this.#rewriteAfterMs);
    } catch (error) {
      // The disk is full or the store is busy. The table still lists the work.
      this.#sweepIn(isBusy(error) ? SWEEP_AFTER_MS : RETRY_AFTER_MS);
    }
  }

  /** Removes some dropped payloads and expired items. Returns whether there may be more. */
  #removeSome(): boolean {
    return this.#room.transaction(() => {
      const next = this.#next.all();
      let [removed, bytes] = [0, 0];
      for (const row of next) {
        if (bytes >= BYTES_AT_ONCE) break;
        bytes += Number(row['bytes']);
        const id = String(row['id']);
        this.#removePayload.run(id);
        this.#done.run(id);
        removed++;
      }
      const expired = Number(this.#removeExpired.run(this.#now()).changes);
      if (removed + expired > 0) this.#requestRewrite();
      return removed < next.length || removed === PAYLOADS_AT_ONCE || expired === EXPIRED_AT_ONCE;
    });
  }

  /** Requests a rewrite by a mark in the header of the file. */
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
          // Another process is reading, or the disk is full. The header still has the mark.
          this.#rewriteIn(RETRY_AFTER_MS);
        }
      },
      Math.max(delayMs, this.#rewriteMs / REWRITE_SHARE),
    ).unref();
  }

  #rewrite(): void {
    const began = performance.now();
    try {
      this.#database.exec('VACUUM');
      this.#database.exec('PRAGMA application_id = 0');
      this.#hasRemoved = false;
    } finally {
      // A rewrite that failed has made the log long too.
      this.#rewriteMs = performance.now() - began;
      this.#room.emptyLog();
    }
  }
}
