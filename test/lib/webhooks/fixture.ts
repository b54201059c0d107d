import type { SecretStore } from '../../../lib/credentials/secret-store.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { sourceAdmin } from '../../../lib/webhooks/source-admin.ts';
import { sourceSecretsIn } from '../../../lib/webhooks/source-secrets.ts';
import { sourcesIn } from '../../../lib/webhooks/sources.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import type { Sender } from '../../support/senders.ts';
import { NOW_MS } from '../support.ts';

/** Secrets in memory, and the names of those that were read. */
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
    async create(name, text) {
      texts.set(name, text);
    },
    async delete(name) {
      texts.delete(name);
    },
  };
  return { secretStore, texts, reads };
}

/** What the calls of a store and a secret store go through. */
type Through = <T>(call: () => Promise<T>, name: string) => Promise<T>;

function storeThrough(store: ListedStore, through: Through): ListedStore {
  return {
    read: (key) => through(() => store.read(key), 'store.read'),
    list: (partition, range) => through(() => store.list(partition, range), 'store.list'),
    commit: (batch) => through(() => store.commit(batch), 'store.commit'),
  };
}

function secretsThrough(store: SecretStore, through: Through): SecretStore {
  return {
    read: (name) => through(() => store.read(name), 'secrets.read'),
    create: (name, text) => through(() => store.create(name, text), 'secrets.create'),
    delete: (name) => through(() => store.delete(name), 'secrets.delete'),
  };
}

/** Sources in a store, with their secrets in memory, and what finds them. */
export function sourceWorld(store: ListedStore = new MemoryStorage()) {
  const memory = memorySecrets();
  const clock = { nowMs: NOW_MS };
  const now = () => clock.nowMs;
  const isCompany = async (companyId: string) => companyId !== 'nobody';
  return {
    ...memory,
    clock,
    store,
    sources: sourceAdmin({ store, secretStore: memory.secretStore, isCompany, now }),
    /** The same sources, where every call goes through a function. */
    sourcesThrough: (through: Through) =>
      sourceAdmin({
        store: storeThrough(store, through),
        secretStore: secretsThrough(memory.secretStore, through),
        isCompany,
        now,
      }),
    directory: sourcesIn(store),
    secretsOf: sourceSecretsIn(memory.secretStore, now),
  };
}

/** A source that a sender sends to. */
export function sourceFor({ settings }: Sender, name = 'cms', companyId = 'acme') {
  return { name, companyId, mapping: '{ "create": body }', scheme: settings };
}
