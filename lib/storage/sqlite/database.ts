import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reserveIn } from './reserve.ts';

/** The default data folder, relative to the working directory. */
export const DEFAULT_FOLDER = '.segue/';

/** The version of the store's format that this code reads and writes. A new file has version 0. */
const FORMAT = 9;

/**
 * How long `openDatabase` waits for another process that is opening the store, in milliseconds. It blocks this process.
 */
const OPENING_MS = 5_000;
/** The pause before another attempt to open the store, in milliseconds. */
const BUSY_PAUSE_MS = 20;

const SCHEMA = `
  CREATE TABLE items (
    partition TEXT NOT NULL,
    sort TEXT NOT NULL,
    version INTEGER NOT NULL,
    data TEXT NOT NULL,
    expires_at_ms INTEGER,
    payload_id TEXT,
    bytes BLOB,
    PRIMARY KEY (partition, sort)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE payloads (
    id TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE dropped (
    id TEXT NOT NULL PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX items_by_expiry ON items (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
  PRAGMA user_version = ${FORMAT};
`;

/** The error of a store that cannot be opened. Its message is for the person who starts the program. */
export class StoreNotOpened extends Error {
  override readonly name = 'StoreNotOpened';
}

const fileIn = (folder: string) => join(folder, 'segue.db');

/** Whether a folder has a store. */
export function hasDatabase(folder: string): boolean {
  return existsSync(fileIn(folder));
}

/**
 * Opens the store in a folder. Creates the folder and the store if they do not exist.
 * @throws {StoreNotOpened} if the store cannot be opened, or has another format
 */
export function openDatabase(folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = fileIn(folder);
    makeFile(path);
    // VACUUM makes a temporary copy of the data, which must stay in this folder. SQLite reads this variable only once.
    process.env['SQLITE_TMPDIR'] = folder;
    return openWithRoom(folder, path);
  } catch (error) {
    if (error instanceof StoreNotOpened) throw error;
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new StoreNotOpened(
      `the data folder ${folder} cannot be used: ${reason}; set SEGUE_DATA_DIR to another folder`,
      { cause: error },
    );
  }
}

/**
 * Opens a database also on a full disk: with the space of the reserve, or else for this process alone, because only
 * then SQLite needs no file for the index of its log.
 */
function openWithRoom(folder: string, path: string): DatabaseSync {
  for (const prepare of [() => {}, reserveIn(folder).release]) {
    try {
      prepare();
      return open(folder, path, 'NORMAL');
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }
  return open(folder, path, 'EXCLUSIVE');
}

/**
 * Opens a database. Repeats this while another process is opening it: SQLite does not wait by itself for the lock with
 * which it starts the write-ahead log.
 */
function open(folder: string, path: string, lockingMode: 'NORMAL' | 'EXCLUSIVE'): DatabaseSync {
  const startedMs = performance.now();
  for (;;) {
    try {
      return openOnce(folder, path, lockingMode);
    } catch (error) {
      // SQLite itself waits for other locks, so a store that stays locked ends this after one attempt.
      if (!isBusy(error) || performance.now() - startedMs >= OPENING_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
    }
  }
}

function openOnce(folder: string, path: string, lockingMode: 'NORMAL' | 'EXCLUSIVE'): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: OPENING_MS });
  try {
    database.exec(`PRAGMA locking_mode = ${lockingMode}`);
    // Check the format before the journal mode is set, because that writes to the file.
    requireFormat(database, folder);
    // A large payload is a chain of pages, so large pages are faster; but a commit writes whole pages to the log. The page
    // size must be set before the first table.
    database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    // Make SQLite overwrite deleted data.
    database.exec('PRAGMA secure_delete = ON');
    createTables(database, folder);
    // From now on, no call may wait inside SQLite, because that would block every other request.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Creates the tables, if the store is new. Reads the format again inside the transaction, because two programs may
 * start at once.
 */
function createTables(database: DatabaseSync, folder: string): void {
  transaction(database, () => {
    if (requireFormat(database, folder) === 0) database.exec(SCHEMA);
  });
}

/**
 * Reads the format of the store.
 * @throws {StoreNotOpened} if another version of Segue wrote it
 */
function requireFormat(database: DatabaseSync, folder: string): number {
  const format = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (format === 0 || format === FORMAT) return format;
  throw new StoreNotOpened(
    `the store in ${folder} has format ${format}, and this version of Segue reads format ${FORMAT}; ` +
      'use the version of Segue that wrote it, or set SEGUE_DATA_DIR to another folder',
  );
}

/**
 * Creates the database file, so that only its owner can read it. SQLite would use the umask instead. SQLite gives its
 * other files the mode of this file.
 */
function makeFile(path: string): void {
  try {
    // Open only a new file. To close a file that SQLite has open in this process would drop SQLite's locks on it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** The primary result code of SQLite if another connection is at work. */
const SQLITE_BUSY = 5;
/**
 * The extended result codes of SQLite if a file cannot become longer: the disk is full, or a quota or a limit on files
 * is reached (`IOERR_WRITE`, `IOERR_SHMOPEN`, `IOERR_SHMSIZE`, `IOERR_SHMMAP`).
 */
const SQLITE_FULL: readonly number[] = [13, 778, 4618, 4874, 5386];

/** Whether an error of SQLite means that another connection is at work, so that a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

/** Whether an error of SQLite means that the disk has no space. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && SQLITE_FULL.includes(Number(error.errcode));
}

/**
 * Runs work in one transaction. Rolls the transaction back if the work throws. Other connections cannot write
 * meanwhile.
 */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // The transaction may not have begun, or SQLite may have rolled it back already, because the disk is full.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
