import { checkProject } from '../../lib/contract/check.ts';
import { utc } from '../../lib/contract/date.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import { SCOPES } from '../../lib/contract/routes.ts';
import type { AuthDeps } from '../../lib/credentials/authenticate.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { keyGuard, type Principal, storedKeys } from '../../lib/credentials/key-directory.ts';
import type { SigningKey } from '../../lib/credentials/signing-keys.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import type { CallContext, ProjectService } from '../../lib/service/port.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';
import type { Through } from './faulty.ts';

export const START_MS = Date.UTC(2026, 10, 20, 9, 30);
/** How long a request may take. Its key is held for a second more. */
export const REQUEST_MS = 5_000;
const SIGNING_KEY: SigningKey = { id: 'key', secret: new Uint8Array(32).fill(1), signsFromMs: 0 };
const END_UTC = '2059-01-01T00:00:00Z';

/** What a process works with. */
export interface Process {
  readonly storage: Storage;
  readonly service: ProjectService;
  /** Removes bytes that nothing names any more. @returns how much is left to be done */
  readonly sweep: () => Promise<number>;
}

/** Bytes that belong to an item. */
export interface Payload {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A store, a clock that is moved by hand, and any number of processes that share both. */
export abstract class World {
  nowMs = START_MS;
  readonly now = () => this.nowMs;
  abstract readonly storage: Storage;
  /** What a planted fault is in this world. */
  abstract readonly failure: (isBefore: boolean) => Error;
  #companies = 0;
  #families = 0;

  /** A process whose calls, of the store or of what the store is made of, go through a function. */
  abstract process(through: Through): Process;
  /** Removes everything that will be removed at some time. */
  abstract sweep(): Promise<void>;
  /** The payloads that the store has of a company, whether an item names them or not. */
  abstract payloads(companyId: string): Promise<readonly Payload[]>;
  /** What is written down as still to be done about bytes of a company. */
  abstract pending(companyId: string): Promise<readonly string[]>;
  abstract close(): void;

  /** A service as a process of its own would have it. */
  service(storage: Storage = this.storage): ProjectService {
    const guard = keyGuard(storedKeys(storage));
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
  authentication(storage: Storage = this.storage): AuthDeps {
    const newId = () => `family-${++this.#families}`;
    return { keys: storedKeys(storage), store: storage, signingKeys: async () => [SIGNING_KEY], now: this.now, newId };
  }

  /** A project that is sent now. */
  project(fields: JsonObject = {}): CheckedProject {
    const body = smallProject({ startDateUtc: utc(this.nowMs), endDateUtc: END_UTC, ...fields });
    return checkProject(body, { nowMs: this.nowMs, toleranceMs: LIMITS.startDateToleranceMs });
  }

  /** A call that begins now. */
  call(companyId: string, key?: string, replayed: () => void = () => {}): CallContext {
    const deadline = deadlineAt(this.nowMs + REQUEST_MS, this.now);
    const idempotency = key === undefined ? undefined : { key, replayed };
    return { companyId, requestId: 'test-request', requestedBy: { kind: 'workflow', id: null }, deadline, idempotency };
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
