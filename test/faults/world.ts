import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { keyGuard } from '../../functions/compose/key-guard.ts';
import { checkProject } from '../../lib/contract/check.ts';
import { utc } from '../../lib/contract/date.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import { SCOPES } from '../../lib/contract/routes.ts';
import type { Authentication } from '../../lib/credentials/authentication.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { keysInTable } from '../../lib/credentials/keys.ts';
import type { Principal } from '../../lib/credentials/principal.ts';
import type { SigningKey } from '../../lib/credentials/signing-keys.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import type { Call, ProjectService } from '../../lib/service/port.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';

export const START_MS = Date.UTC(2026, 10, 20, 9, 30);
/** How long a request may take. Its key is held for a second more. */
export const REQUEST_MS = 5_000;
const SIGNING_KEY: SigningKey = { id: 'key', secret: new Uint8Array(32).fill(1), signsFromMs: 0 };
const END_UTC = '2059-01-01T00:00:00Z';

/** A store on the disk, a clock that is moved by hand, and any number of processes that share both. */
export class World {
  nowMs = START_MS;
  readonly now = () => this.nowMs;
  readonly database: DatabaseSync;
  readonly storage: SqliteStorage;
  /** Where the store's files are. */
  readonly folder = mkdtempSync(join(tmpdir(), 'segue-faults-'));
  #companies = 0;
  #families = 0;
  #payloads = 0;

  constructor() {
    this.database = openDatabase(this.folder);
    // The machine stays up: what is acknowledged need not outlive a power cut here.
    this.database.exec('PRAGMA synchronous = OFF');
    this.storage = new SqliteStorage(
      this.database,
      this.now,
      () => `payload-${String(++this.#payloads).padStart(6, '0')}`,
    );
  }

  /** A service as a process of its own would have it. */
  service(storage: Storage = this.storage): ProjectService {
    const guard = keyGuard(keysInTable(storage));
    return hostedService({ storage, now: this.now, random: () => 0.5, guard });
  }

  /** A company that nobody has used yet. Every id is as long as every other. */
  newCompany(): string {
    return `company-${String(++this.#companies).padStart(6, '0')}`;
  }

  /** A company that nobody has used yet, and its one key. */
  async newKey(): Promise<Principal> {
    const companyId = this.newCompany();
    const keyId = `key-of-${companyId}`;
    await companiesIn(this.storage, this.now).add(companyId, { keyId, apiKey: 'seg_' });
    return { companyId, keyId, scopes: SCOPES };
  }

  /** What tokens stand on, as a process of its own would have it. */
  authentication(storage: Storage = this.storage): Authentication {
    const newId = () => `family-${++this.#families}`;
    return { keys: keysInTable(storage), store: storage, signingKeys: async () => [SIGNING_KEY], now: this.now, newId };
  }

  /** A project that is sent now. */
  project(fields: JsonObject = {}): CheckedProject {
    const body = smallProject({ startDateUtc: utc(this.nowMs), endDateUtc: END_UTC, ...fields });
    return checkProject(body, { nowMs: this.nowMs, toleranceMs: LIMITS.startDateToleranceMs });
  }

  /** A call that begins now. */
  call(companyId: string, key?: string, replayed: () => void = () => {}): Call {
    const deadline = deadlineAt(this.nowMs + REQUEST_MS, this.now);
    const once = key === undefined ? undefined : { key, replayed };
    return { companyId, requestId: 'test-request', deadline, once };
  }

  close(): void {
    this.storage.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What became of a request. */
export type Ending<T> =
  | { readonly is: 'done' | 'replayed'; readonly value: T }
  | { readonly is: 'refused'; readonly problem: Problem };

/** Runs a request to its end. What is no problem of the catalogue is thrown on. */
export async function endingOf<T>(request: (replayed: () => void) => Promise<T>): Promise<Ending<T>> {
  let is: 'done' | 'replayed' = 'done';
  try {
    const value = await request(() => {
      is = 'replayed';
    });
    return { is, value };
  } catch (problem) {
    if (problem instanceof Problem) return { is: 'refused', problem };
    throw problem;
  }
}
