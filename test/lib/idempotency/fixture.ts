import { RecordTaken, type ResultWrite } from '../../../lib/idempotency/commit.ts';
import { type IdempotentRequest, type Outcome, runIdempotent } from '../../../lib/idempotency/run-idempotent.ts';
import type { RequestIdentity } from '../../../lib/records/request-record.ts';
import type { Key, Storage } from '../../../lib/storage/port.ts';
import { TestClock } from '../../support/world.ts';

export const LEASE_MS = 10_000;
export const IDENTITY: RequestIdentity = { operation: 'count', fingerprint: 'f' };
export const KEY: Key = { partition: 'p', sort: 'request/k' };
const COUNTER: Key = { partition: 'p', sort: 'counter' };

/** Requests with one key, each of which adds an item to the store, and a clock. */
export class Requests extends TestClock {
  readonly storage: Storage;

  constructor(storage: Storage) {
    super();
    this.storage = storage;
  }

  request(changes: Partial<IdempotentRequest> = {}): IdempotentRequest {
    return {
      storage: this.storage,
      key: KEY,
      identity: IDENTITY,
      now: this.now,
      leaseMs: LEASE_MS,
      ...changes,
    };
  }

  /** Runs the work under the key at once. */
  send(name: string, changes?: Partial<IdempotentRequest>): Promise<Outcome<string>> {
    return runIdempotent(this.request(changes), ({ resultWrite }) => this.effect(name, resultWrite));
  }

  /**
   * Claims the key, and is then frozen until `goOn` is called.
   * @throws {Problem} `request-in-progress`
   */
  async freeze(name: string, changes?: Partial<IdempotentRequest>): Promise<Frozen> {
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    const { promise: claimed, resolve: claim } = Promise.withResolvers<void>();
    let attempts = 0;
    const outcome = runIdempotent(this.request(changes), async ({ resultWrite }) => {
      claim();
      if (attempts++ === 0) await thawed;
      return this.effect(name, resultWrite);
    });
    // If another attempt is running or done, this one does not begin its work.
    await Promise.race([claimed, outcome]);
    return {
      goOn: () => {
        thaw();
        return outcome;
      },
    };
  }

  /** Does the work: writes an item of its own in one commit with the result. */
  async effect(name: string, resultWrite: ResultWrite): Promise<string> {
    const item = { kind: 'insert', key: { ...COUNTER, sort: `effect/${name}` }, data: name } as const;
    const commit = await this.storage.commit({ writes: [item, resultWrite(name)] });
    if (!commit.ok) throw new RecordTaken();
    return name;
  }

  /** Returns the names of the requests whose work took effect. */
  async effects(): Promise<unknown[]> {
    const { items } = await this.storage.list('p', { prefix: 'effect/', limit: 99, maxBytes: 1_000_000 });
    return items.map(({ data }) => data).reverse();
  }
}

export interface Frozen {
  /** Lets the frozen attempt go on. */
  readonly goOn: () => Promise<Outcome<string>>;
}

export const did = (value: string) => ({ kind: 'done', value }) as const;
export const told = (result: string) => ({ kind: 'before', identity: IDENTITY, result }) as const;
