import { Problem } from '../../lib/contract/problem.ts';
import { SCOPES } from '../../lib/contract/routes.ts';
import type { AuthDeps } from '../../lib/credentials/authenticate.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { keyGuard, type Principal, storedKeys } from '../../lib/credentials/key-directory.ts';
import type { SigningKey } from '../../lib/credentials/signing-keys.ts';
import { dueScan } from '../../lib/deliveries/due-scan.ts';
import type { AttemptResult } from '../../lib/deliveries/due-worker.ts';
import { JOBS, type JobRef } from '../../lib/deliveries/jobs.ts';
import type { SegmentsRequest } from '../../lib/hosted/translation/translate-segments.ts';
import { jobWorker } from '../../lib/hosted/work/job-worker.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import type { CallContext, ProjectService } from '../../lib/service/port.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { TestWorld } from '../support/world.ts';
import type { Through } from './faulty.ts';

/** The time limit of a request, in milliseconds. Its key is held for one second more. */
export const REQUEST_MS = 5_000;
/** The time limit of a worker, in milliseconds. */
const WORK_MS = 60_000;
const SIGNING_KEY: SigningKey = { id: 'key', secret: new Uint8Array(32).fill(1), signsFromMs: 0 };

/** The dependencies of a process. */
export interface Process {
  readonly storage: Storage;
  readonly service: ProjectService;
  /**
   * Removes bytes that no item refers to.
   * @returns the amount of work that is left
   */
  readonly sweep: () => Promise<number>;
}

/** Bytes that belong to an item. */
export interface Payload {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A world whose calls can fail. */
export abstract class World extends TestWorld {
  override readonly requestMs = REQUEST_MS;
  /** Returns the error of a planted fault in this world. */
  abstract readonly failure: (isBefore: boolean) => Error;
  #companies = 0;
  #families = 0;

  /** Returns a process whose calls, to the store or to its parts, go through a function. */
  abstract process(through: Through): Process;
  /** Removes everything that a sweeper would remove at some time. */
  abstract sweep(): Promise<void>;
  /** Returns the payloads that the store has of a company: inside items, and outside, whether or not an item refers to them. */
  abstract payloads(companyId: string): Promise<readonly Payload[]>;
  /** Returns the pending work that the store has recorded about bytes of a company. */
  abstract pending(companyId: string): Promise<readonly string[]>;
  abstract close(): void;

  /** Returns the service of a new process. */
  service(storage: Storage = this.storage): ProjectService {
    return this.hosted({ storage, guard: keyGuard(() => storedKeys(storage), this.now) });
  }

  /** Does the work that is due, with an engine that writes capital letters. */
  async work(): Promise<void> {
    const { storage, now, sleep, newEventId } = this;
    const translate = async ({ texts }: SegmentsRequest) => ({
      results: texts.map((text) => ({ kind: 'translated', text: text.toUpperCase() }) as const),
      usedCharacters: 0,
    });
    const onAttempt = ({ projectId }: JobRef, { error }: AttemptResult) => {
      if (error !== undefined) throw new Error(`The work on project ${projectId} failed`, { cause: error });
    };
    const worker = jobWorker({ storage, now, sleep, translate, newEventId, onAttempt });
    do {
      await worker.workOnDue(deadlineAt(this.nowMs + WORK_MS, now));
      // A second job of the same project is postponed by a second.
      this.nowMs += 1_000;
    } while ((await dueScan(JOBS, storage).next(this.nowMs, () => false)).length > 0);
  }

  /** Returns the id of an unused company. All ids have the same length. */
  newCompany(): string {
    return `company-${String(++this.#companies).padStart(6, '0')}`;
  }

  /** Returns an unused company with one key. */
  async newKey(): Promise<Principal> {
    const companyId = this.newCompany();
    const keyId = `key-of-${companyId}`;
    await companiesIn(this.storage, this.now).add(companyId, { keyId, apiKey: 'seg_' });
    return { companyId, keyId, scopes: SCOPES };
  }

  /** Returns the dependencies of tokens in a new process. */
  authentication(storage: Storage = this.storage): AuthDeps {
    const newId = () => `family-${++this.#families}`;
    return { keys: storedKeys(storage), store: storage, signingKeys: async () => [SIGNING_KEY], now: this.now, newId };
  }

  /** Returns a call of a company, which may have an idempotency key. */
  callOf(companyId: string, key?: string, replayed: () => void = () => {}): CallContext {
    return this.call({ companyId, ...(key !== undefined && { idempotency: { key, replayed } }) });
  }
}

/** The result of a request. */
export type Ending<T> =
  | { readonly is: 'done' | 'replayed'; readonly value: T }
  | { readonly is: 'refused'; readonly problem: Problem };

/**
 * Runs a request to its end.
 * @throws any error that is not a problem of the catalogue
 */
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
