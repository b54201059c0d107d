import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isFull, transaction } from './database.ts';
import { NO_RESERVE, type Reserve } from './reserve.ts';

/**
 * The free bytes that the database file must have beyond the payloads of a batch, so that the batch does not make the
 * file longer.
 */
const MARGIN_BYTES = 1_048_576;

/**
 * The room of a store on its disk. Every change first goes to the write-ahead log, which needs space until it is
 * emptied. If the disk has none, the reserve lends it: to deletions, and to changes that fit into free pages of the
 * database file. Such changes do not make the files longer for good. So the reserve gets its space back.
 */
export class Room {
  readonly #database: DatabaseSync;
  readonly #reserve: Reserve;
  readonly #checkpoint: StatementSync;

  constructor(database: DatabaseSync, reserve: Reserve = NO_RESERVE) {
    this.#database = database;
    this.#reserve = reserve;
    this.#checkpoint = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /**
   * Runs work in one transaction. If the disk is full, makes room and repeats it.
   * @param payloadBytes the bytes of new payloads; `undefined` for work that may always use the reserve
   */
  transaction<T>(work: () => T, payloadBytes?: number): T {
    return this.#withRoom(() => transaction(this.#database, work), payloadBytes);
  }

  /**
   * Empties the write-ahead log, which still contains deleted data, and fills the reserve.
   * @returns `false` if another connection is reading, so that the log is not empty
   */
  emptyLog(): boolean {
    const isEmpty = this.#withRoom(() => this.#checkpoint.get()?.['busy'] === 0);
    this.#reserve.fill();
    return isEmpty;
  }

  #withRoom<T>(work: () => T, payloadBytes?: number): T {
    try {
      return work();
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    this.#tryToEmptyLog();
    if (!this.#hasPagesFor(payloadBytes)) return work();
    this.#reserve.release();
    try {
      return work();
    } finally {
      this.#tryToEmptyLog();
      this.#reserve.fill();
    }
  }

  /** Whether the database file has free pages for a batch. */
  #hasPagesFor(payloadBytes: number | undefined): boolean {
    if (payloadBytes === undefined) return true;
    const [pages = 0, pageBytes = 0] = ['freelist_count', 'page_size'].map((name) =>
      Number(this.#database.prepare(`PRAGMA ${name}`).get()?.[name]),
    );
    return pages * pageBytes >= payloadBytes + MARGIN_BYTES;
  }

  #tryToEmptyLog(): void {
    try {
      this.#checkpoint.get();
    } catch {
      // The database file would become longer, and the disk has no space for that. What was committed stays committed.
    }
  }
}
