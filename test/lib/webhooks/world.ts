import { hostedService } from '../../../lib/hosted/service.ts';
import { createProject } from '../../../lib/service/command.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import type { Call, ProjectService, ServiceProject } from '../../../lib/service/port.ts';
import type { ItemStore, ListedStore, Storage } from '../../../lib/storage/port.ts';
import type { AttemptResult } from '../../../lib/webhooks/attempt-delivery.ts';
import { type DeadLetter, type DeadLetters, deadLettersIn } from '../../../lib/webhooks/dead-letters.ts';
import {
  bodyHashOf,
  type Delivery,
  type DeliveryRef,
  type DeliveryState,
  readState,
  stateKey,
} from '../../../lib/webhooks/delivery-records.ts';
import { type DeliveryWorker, type DeliveryWorkerDeps, deliveryWorker } from '../../../lib/webhooks/delivery-worker.ts';
import { type Inbox, inboxOn } from '../../../lib/webhooks/inbox.ts';
import type { Mapper } from '../../../lib/webhooks/mapping/mapper.ts';
import type { Source } from '../../../lib/webhooks/sources.ts';
import type { Through } from '../../faults/faulty.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import type { JsonObject } from '../../support/projects.ts';
import { NOW_MS } from '../support.ts';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Gives each message's body as it is, at once. */
export const identity: Mapper = { apply: async (_, { body }) => body, check: async () => {}, close: () => {} };

/** Stores, a clock that is moved by hand, a source for each company, and any number of processes that share them. */
export class DeliveryWorld {
  nowMs = NOW_MS;
  readonly now = () => this.nowMs;
  readonly store: ListedStore;
  readonly projects = new MemoryStorage();
  readonly sources = new Map<string, Source>([['cms', { name: 'cms', companyId: 'acme', mapping: 'body' }]]);
  readonly failures: AttemptResult[] = [];
  readonly inbox: Inbox;
  readonly letters: DeadLetters;

  constructor(store: ListedStore = new MemoryStorage()) {
    this.store = store;
    this.inbox = inboxOn(store, { now: this.now });
    this.letters = deadLettersIn(store, this.now);
  }

  service(storage: Storage = this.projects): ProjectService {
    return hostedService({ storage, now: this.now, random: () => 0.5 });
  }

  /** What a process works with. */
  work(options: Partial<DeliveryWorkerDeps> = {}): DeliveryWorker {
    return deliveryWorker({
      store: this.store,
      service: this.service(),
      mapper: identity,
      findSource: async (name) => this.sources.get(name),
      requireCompany: async () => {},
      now: this.now,
      random: () => 0,
      onFailure: (_, attempted) => this.failures.push(attempted),
      ...options,
    });
  }

  /** Time enough for one run. */
  deadline() {
    return deadlineAt(this.nowMs + 50_000, this.now);
  }

  /** Works on all that is due now. */
  run(options: Partial<DeliveryWorkerDeps> = {}) {
    return this.work(options).workOnDue(this.deadline());
  }

  /** A message that says this, from the source of a company. */
  message(body: unknown, fields: Partial<Delivery> = {}): Delivery {
    const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
    const of = { source: 'cms', companyId: 'acme', receivedAtMs: this.nowMs, headers: {} };
    return { id: bodyHashOf(bytes), body: bytes, ...of, ...fields };
  }

  async stateOf(ref: DeliveryRef): Promise<DeliveryState> {
    const item = await this.store.read(stateKey(ref));
    return readState(item?.data);
  }

  async dead(): Promise<DeadLetter[]> {
    return Array.fromAsync(this.letters.list({}));
  }

  /** Creates a project as anybody does. */
  async make(project: unknown, companyId = 'acme'): Promise<void> {
    await createProject(this.service(), project, this.call(companyId), this.nowMs);
  }

  /** The custom ids of a company's projects. */
  async made(companyId = 'acme'): Promise<string[]> {
    return (await this.#heads(companyId)).map(({ customId = '' }) => customId).sort();
  }

  /** The names of its projects. */
  async names(companyId = 'acme'): Promise<string[]> {
    return (await this.#heads(companyId)).map(({ name }) => String(name));
  }

  async #heads(companyId: string): Promise<ServiceProject[]> {
    const service = this.service();
    const found: ServiceProject[] = [];
    for (let after: number | undefined; ; ) {
      const { projects, next } = await service.list({ limit: 100, after }, this.call(companyId));
      found.push(...projects);
      if (next === undefined) return found;
      after = next;
    }
  }

  /** A call by somebody else. */
  call(companyId: string): Call {
    return {
      companyId,
      requestId: 'test',
      requestedBy: { kind: 'workflow', id: null },
      deadline: { remainingMs: () => 10_000 },
    };
  }
}

/** What creates a project; the start date is the worker's to add. */
export function creation(fields: JsonObject = {}) {
  return {
    create: {
      name: 'A page',
      endDateUtc: '2059-01-01T00:00:00Z',
      sourceLanguageCode: 'en-US',
      targetLanguages: [{ targetLanguageCode: 'de-DE' }],
      segments: [{ content: 'Hello' }],
      ...fields,
    },
  };
}

/** A store whose every call goes through a function. */
export function itemsThrough(store: ListedStore, through: Through): ListedStore & ItemStore {
  return {
    read: (key) => through(() => store.read(key)),
    list: (partition, range) => through(() => store.list(partition, range)),
    commit: (batch) => through(() => store.commit(batch)),
  };
}
