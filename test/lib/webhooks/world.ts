import { Problem } from '../../../lib/contract/problem.ts';
import { liveSecretsIn } from '../../../lib/credentials/live-secrets.ts';
import type { SecretStore } from '../../../lib/credentials/secret-store.ts';
import type { AttemptResult } from '../../../lib/deliveries/due-worker.ts';
import { runCreation } from '../../../lib/service/command.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import type { ServiceProject } from '../../../lib/service/project-document.ts';
import { eachItem, type ItemStore, type ListedStore } from '../../../lib/storage/port.ts';
import { type DeadLetter, type DeadLetters, deadLettersIn } from '../../../lib/webhooks/dead-letters.ts';
import { DELIVERIES } from '../../../lib/webhooks/delivery-queue.ts';
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
import { sourceAdmin } from '../../../lib/webhooks/source-admin.ts';
import { mappingKey, nameKey, type Source, sourceKey, sourcesIn } from '../../../lib/webhooks/sources.ts';
import { type Faulty, type Through, throughout } from '../../faults/faulty.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import type { JsonObject } from '../../support/projects.ts';
import type { Sender } from '../../support/senders.ts';
import { TestClock, TestWorld } from '../../support/world.ts';

export const LEASE_MS = DELIVERIES.leaseMs;
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Opens no fetch: no source of a test has one, unless the test opens another. */
export const noFetch = () => Promise.reject(new Error('No source has a fetch'));

/** A mapper that returns each message's body unchanged, at once. */
export const identity: Mapper = { apply: async (_, { body }) => body, check: async () => {}, close: () => {} };

/** A world of deliveries: with a store of their own, and a source. */
export class DeliveryWorld extends TestWorld {
  readonly store: ListedStore;
  readonly storage = new MemoryStorage();
  readonly sources = new Map<string, Source>([['cms', { name: 'cms', companyId: 'acme', mapping: 'body' }]]);
  readonly failures: AttemptResult[] = [];
  /** The mapping of all messages. By default it returns the body; `gives` changes it. */
  mapper: Mapper = identity;
  readonly inbox: Inbox;
  readonly letters: DeadLetters;

  constructor(store: ListedStore = new MemoryStorage()) {
    super();
    this.store = store;
    this.inbox = inboxOn(store, { now: this.now });
    this.letters = deadLettersIn(store, this.now);
  }

  /** Returns the worker of a process. */
  work(options: Partial<DeliveryWorkerDeps> = {}): DeliveryWorker {
    return deliveryWorker({
      store: this.store,
      service: this.hosted(),
      mapper: this.mapper,
      findSource: async (name) => this.sources.get(name),
      openFetch: noFetch,
      requireCompany: async () => undefined,
      now: this.now,
      random: () => 0,
      onAttempt: (_, { durationMs: _ms, ...attempted }) =>
        void (attempted.error !== undefined && this.failures.push(attempted)),
      ...options,
    });
  }

  /** Changes the mapping, so that it returns a value for every message. */
  gives(value: unknown): void {
    this.mapper = { ...identity, apply: async () => value };
  }

  /** Works on all deliveries that are due now. */
  run(options: Partial<DeliveryWorkerDeps> = {}) {
    return this.work(options).workOnDue(this.deadline());
  }

  /** Returns another process on the same stores. Every call of the process goes through a function. */
  processThrough(through: Through) {
    const store = itemsThrough(this.store, through);
    const service = this.hosted({ storage: throughout(this.storage, through) });
    return { store, service, inbox: inboxOn(store, { now: this.now }), letters: deadLettersIn(store, this.now) };
  }

  /**
   * Runs a worker with faulty calls, until it has ended or stopped.
   * @returns the number of its calls
   */
  async runFaulty(broken: Faulty, options: Partial<DeliveryWorkerDeps> = {}): Promise<number> {
    const { store, service } = this.processThrough(broken.through);
    await Promise.race([this.run({ store, service, ...options }).catch(() => {}), broken.stopped]);
    return broken.calls();
  }

  /** Runs workers until no delivery is open, for at most an hour. */
  async settle(options: Partial<DeliveryWorkerDeps> = {}): Promise<void> {
    for (let minutes = 0; minutes < 60; minutes++) {
      this.nowMs += LEASE_MS;
      await this.run(options);
      if ((await this.openCount()) === 0) return;
    }
  }

  /** Returns the number of open deliveries. */
  async openCount(): Promise<number> {
    const shards = DELIVERIES.list
      .partitions()
      .map((partition) => Array.fromAsync(eachItem(this.store, partition, '')));
    return (await Promise.all(shards)).flat().length;
  }

  /** Returns a message with a body, from the source of a company. */
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

  /** Returns the only dead letter. */
  async deadLetter(): Promise<DeadLetter> {
    const [letter, ...more] = await this.dead();
    if (!letter || more.length > 0) throw new Error('There is not one dead letter');
    return letter;
  }

  /** Redrives the only dead letter, a second later. */
  async redrive(): Promise<void> {
    const letter = await this.deadLetter();
    this.nowMs += 1_000;
    if (!(await this.letters.redrive(letter))) throw new Error('The message is gone');
  }

  /**
   * Advances the clock to the next attempt at a delivery.
   * @returns whether the delivery is open
   */
  async toNextAttempt(ref: DeliveryRef): Promise<boolean> {
    const state = await this.stateOf(ref);
    if (state.kind === 'open') this.nowMs = state.dueMs;
    return state.kind === 'open';
  }

  /** Creates a project without a webhook. */
  async make(project: unknown, companyId = 'acme'): Promise<void> {
    await runCreation(this.hosted(), project, this.call({ companyId }), this.nowMs);
  }

  /** Returns the custom ids of a company's projects. */
  async made(companyId = 'acme'): Promise<string[]> {
    return (await this.#heads(companyId)).map(({ customId = '' }) => customId).sort();
  }

  /** Returns the names of a company's projects. */
  async names(companyId = 'acme'): Promise<string[]> {
    return (await this.#heads(companyId)).map(({ name }) => String(name));
  }

  async #heads(companyId: string): Promise<ServiceProject[]> {
    const service = this.hosted();
    const found: ServiceProject[] = [];
    for (let after: number | undefined; ; ) {
      const { projects, next } = await service.list({ limit: 100, after }, this.call({ companyId }));
      found.push(...projects);
      if (next === undefined) return found;
      after = next;
    }
  }
}

/** Returns a service whose every change fails. */
export function failingService(world: DeliveryWorld, problem: unknown): ProjectService {
  const fail = () => Promise.reject(problem);
  return { ...world.hosted(), create: fail, delete: fail };
}

export const unavailable = (retryAfterSeconds?: number) =>
  new Problem('unavailable', { detail: 'Not now.', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });

/** Returns the store of a world. It fails after a number of commits, as if its process had ended. */
export function storeUntilCommit({ store }: DeliveryWorld, commits: number): ListedStore {
  let made = 0;
  return {
    read: (key) => store.read(key),
    list: (partition, range) => store.list(partition, range),
    commit: (batch) => (made++ < commits ? store.commit(batch) : Promise.reject(unavailable())),
  };
}

/** Returns a world that has accepted one message. */
export async function worldWith(body: unknown, fields: Partial<Delivery> = {}) {
  const world = new DeliveryWorld();
  const message = world.message(body, fields);
  await world.inbox.accept(message);
  return { world, message };
}

/** Returns a command that creates a project. The worker adds the start date. */
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

/** Returns a store whose every call goes through a function. */
export function itemsThrough(store: ListedStore, through: Through): ListedStore & ItemStore {
  return {
    read: (key) => through(() => store.read(key)),
    list: (partition, range) => through(() => store.list(partition, range)),
    commit: (batch) => through(() => store.commit(batch)),
  };
}

/** Returns secrets in memory, with the names of all reads. */
export function memorySecrets() {
  const texts = new Map<string, string>();
  const reads: string[] = [];
  const secretStore: SecretStore = {
    async read(name) {
      reads.push(name);
      const text = texts.get(name);
      if (text === undefined) throw new Error('CANARY there is no such secret');
      return text;
    },
    create: async (name, text) => void texts.set(name, text),
    delete: async (name) => void texts.delete(name),
  };
  return { secretStore, texts, reads };
}

/** Returns sources in a store, with their secrets in memory. */
export function sourceWorld(store: ListedStore = new MemoryStorage()) {
  const memory = memorySecrets();
  const { secretStore } = memory;
  const fetchSecrets = memorySecrets();
  const clock = new TestClock();
  const { now } = clock;
  const isCompany = async (companyId: string) => companyId !== 'nobody';
  return {
    ...memory,
    clock,
    store,
    fetchSecrets,
    sources: sourceAdmin({ store, secretStore, fetchSecretStore: () => fetchSecrets.secretStore, isCompany, now }),
    /** Returns the same sources, with every call going through a function. */
    sourcesThrough: (through: <T>(call: () => Promise<T>, name?: string) => Promise<T>) =>
      sourceAdmin({
        store: itemsThrough(store, through),
        secretStore: {
          read: (name) => through(() => secretStore.read(name), 'secrets.read'),
          create: (name, text) => through(() => secretStore.create(name, text)),
          delete: (name) => through(() => secretStore.delete(name)),
        },
        fetchSecretStore: () => ({
          read: (name) => through(() => fetchSecrets.secretStore.read(name)),
          create: (name, text) => through(() => fetchSecrets.secretStore.create(name, text)),
          delete: (name) => through(() => fetchSecrets.secretStore.delete(name)),
        }),
        isCompany,
        now,
      }),
    directory: sourcesIn(store),
    secretsOf: liveSecretsIn(secretStore, now),
  };
}

/** Returns a source whose messages a sender signs. */
export function sourceFor({ settings }: Sender, name = 'cms', companyId = 'acme') {
  return { name, companyId, mapping: '{ "create": body }', scheme: settings };
}

/** Writes the records of a source as `segue source add` does. */
export async function putSource(
  store: ItemStore,
  { name, companyId, mapping, fetch }: Pick<Source, 'name' | 'companyId' | 'mapping' | 'fetch'>,
): Promise<void> {
  const record = {
    companyId,
    scheme: { name: 'standard-webhooks' } as const,
    sourceId: '0123456789ab',
    secretsAt: 'nowhere',
    liveSecrets: 1,
    createdAtUtc: '2026-11-20T09:30:00.000Z',
  };
  await store.commit({
    writes: [
      { kind: 'put', key: sourceKey(name), data: record },
      { kind: 'put', key: mappingKey(name, record), data: { mapping, fetch } },
      { kind: 'put', key: nameKey(name), data: { companyId } },
    ],
  });
}
