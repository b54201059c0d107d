import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { Sweeper } from '../../lib/storage/sqlite/sweeper.ts';
import { storeFailure, type Through, throughout } from './faulty.ts';
import { type Payload, type Process, World } from './world.ts';

const PayloadRow = z.strictObject({ id: z.string(), bytes: z.instanceof(Uint8Array) });
const IdRow = z.object({ id: z.string() });

/** A world whose store is a SQLite file. */
export class SqliteWorld extends World {
  readonly database: DatabaseSync;
  readonly storage: SqliteStorage;
  readonly failure = storeFailure;
  /** The folder of the store's files. */
  readonly folder = mkdtempSync(join(tmpdir(), 'segue-faults-'));
  #payloads = 0;

  constructor() {
    super();
    this.database = openDatabase(this.folder);
    // The machine stays up, so acknowledged changes need not survive a power cut.
    this.database.exec('PRAGMA synchronous = OFF');
    const newId = () => `payload-${String(++this.#payloads).padStart(6, '0')}`;
    this.storage = new SqliteStorage(this.database, this.now, { newId });
  }

  process(through: Through): Process {
    const storage = throughout(this.storage, through);
    const sweep = async () => {
      await this.sweep();
      return 0;
    };
    return { storage, service: this.service(storage), sweep };
  }

  async sweep(): Promise<void> {
    const sweeper = new Sweeper(this.database, this.now);
    sweeper.stop();
    // Rewriting the file takes longer the more companies were tested before.
    sweeper.removeDropped();
  }

  async payloads(companyId: string): Promise<Payload[]> {
    const inside = this.database
      .prepare('SELECT sort AS id, bytes FROM items WHERE partition = ? AND bytes IS NOT NULL ORDER BY sort')
      .all(`company/${companyId}`);
    const outside = this.#idsOf('SELECT id, bytes FROM payloads', companyId);
    return [...inside, ...outside].map((row) => PayloadRow.parse(row));
  }

  async pending(companyId: string): Promise<string[]> {
    return this.#idsOf('SELECT id FROM dropped', companyId).map((row) => IdRow.parse(row).id);
  }

  close(): void {
    this.storage.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #idsOf(select: string, companyId: string) {
    return this.database
      .prepare(`${select} WHERE id >= ? AND id < ? ORDER BY id`)
      .all(`company/${companyId}/`, `company/${companyId}0`);
  }
}
