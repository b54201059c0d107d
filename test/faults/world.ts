import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { checkProject } from '../../lib/contract/check.ts';
import { utc } from '../../lib/contract/date.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
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
  #payloads = 0;

  constructor() {
    this.database = openDatabase(this.folder);
    // The machine stays up: what is acknowledged need not outlive a power cut here.
    this.database.exec('PRAGMA synchronous = OFF');
    this.storage = new SqliteStorage(this.database, this.now);
  }

  /** A service as a process of its own would have it. */
  service(storage: Storage = this.storage): ProjectService {
    const newId = () => `payload-${++this.#payloads}`;
    return hostedService({ storage, now: this.now, random: () => 0.5, newId });
  }

  /** A company that nobody has used yet. Every id is as long as every other. */
  newCompany(): string {
    return `company-${String(++this.#companies).padStart(6, '0')}`;
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
