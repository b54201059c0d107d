import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { transaction } from './transaction.ts';

/** Where the store of a machine is unless it is told otherwise, relative to where a program runs. */
export const DEFAULT_FOLDER = '.segue/';

/** The format this code reads and writes. A store of a newer one is left alone. */
const FORMAT = 3;

/** How long opening waits for another process, which may be opening the store too. Everybody waits along. */
const OPENING_MS = 5_000;

const EXPIRY_INDEX = 'CREATE INDEX items_by_expiry ON items (expires_at_ms) WHERE expires_at_ms IS NOT NULL';

/** Before, the name of a payload stood in the data of its project, and what a deletion needs of it in its head. */
const PAYLOADS_TO_ITEMS = `
  UPDATE items SET
    payload_id = json_extract(data, '$.payload.id'),
    data = json_set(
      json_remove(data, '$.payload.id'),
      '$.id', json_extract(data, '$.head.id'),
      '$.customId', json_extract(data, '$.head.customId'),
      '$.targetLanguages', json_array_length(data, '$.head.targetLanguages')
    )
  WHERE sort LIKE 'project/%'`;

/** A new store. */
const SCHEMA = `
  CREATE TABLE items (
    partition TEXT NOT NULL,
    sort TEXT NOT NULL,
    version INTEGER NOT NULL,
    data TEXT NOT NULL,
    expires_at_ms INTEGER,
    payload_id TEXT,
    PRIMARY KEY (partition, sort)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE payloads (
    id TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE dropped (
    id TEXT NOT NULL PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  ${EXPIRY_INDEX};
  PRAGMA user_version = ${FORMAT};
`;

/** What makes each older format the next one, by the older one's number. */
const MIGRATIONS: Readonly<Record<number, string>> = {
  0: SCHEMA,
  1: `ALTER TABLE items ADD COLUMN expires_at_ms INTEGER; ${EXPIRY_INDEX}; PRAGMA user_version = 2`,
  2: `ALTER TABLE items ADD COLUMN payload_id TEXT; ${PAYLOADS_TO_ITEMS}; PRAGMA user_version = 3`,
};

/** Why a store could not be opened, in words for the person who starts it. */
export class StoreNotOpened extends Error {
  override readonly name = 'StoreNotOpened';
}

/**
 * Opens the store in a folder, made where it is not there yet.
 * @throws {StoreNotOpened}
 */
export function openDatabase(folder: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, 'segue.db');
    makeFile(path);
    // Copies of what lives, made when the file is written anew, stay where it lives. SQLite reads this once.
    process.env['SQLITE_TMPDIR'] = folder;
    database = new DatabaseSync(path, { timeout: OPENING_MS });
    readFormat(database); // Before anything is set: to set the journal's mode writes.
    // Set before the first table, or never: a large payload is a chain of pages, and each is a step to follow.
    database.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    // What is deleted is overwritten, not only forgotten.
    database.exec('PRAGMA secure_delete = ON');
    migrate(database);
    // From now on nobody waits inside of SQLite, where every other request would wait along.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof StoreNotOpened) throw error;
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new StoreNotOpened(
      `the data folder ${folder} cannot be used: ${reason}; set SEGUE_DATA_DIR to another folder`,
      { cause: error },
    );
  }
}

function migrate(database: DatabaseSync): void {
  transaction(database, () => {
    // Read again, now that nobody else can write: two may be at their first start.
    for (let format = readFormat(database); format < FORMAT; format = readFormat(database)) {
      database.exec(MIGRATIONS[format] ?? '');
    }
  });
}

/**
 * The format of a store, 0 for a new one.
 * @throws {StoreNotOpened} where it is newer than this code
 */
function readFormat(database: DatabaseSync): number {
  const format = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (format > FORMAT) {
    throw new StoreNotOpened(`the store has format ${format} and this version of Segue reads up to ${FORMAT}`);
  }
  return format;
}

/** Makes the file where it is missing, for its owner alone: SQLite would leave that to the umask, and its other files follow. */
function makeFile(path: string): void {
  try {
    // Only ever a new one: to close a file that SQLite has open in this process would drop SQLite's locks on it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
