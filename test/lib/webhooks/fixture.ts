import type { Vault } from '../../../lib/credentials/vault.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { administer } from '../../../lib/webhooks/administration.ts';
import { secretsIn } from '../../../lib/webhooks/source-secrets.ts';
import { sourcesIn } from '../../../lib/webhooks/sources.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import type { Sender } from '../../support/senders.ts';
import { NOW_MS } from '../support.ts';

/** Secrets in memory, and how often each place was read. */
export function memoryVault() {
  const places = new Map<string, string>();
  const reads: string[] = [];
  const vault: Vault = {
    async read(place) {
      reads.push(place);
      const text = places.get(place);
      if (text === undefined) throw new Error('CANARY there is nothing at this place');
      return text;
    },
    async write(place, text) {
      places.set(place, text);
    },
    async erase(place) {
      places.delete(place);
    },
  };
  return { vault, places, reads };
}

/** What the calls of a store and a vault go through. */
type Through = <T>(call: () => Promise<T>, name: string) => Promise<T>;

function storeThrough(store: ListedStore, through: Through): ListedStore {
  return {
    read: (key) => through(() => store.read(key), 'store.read'),
    list: (partition, range) => through(() => store.list(partition, range), 'store.list'),
    commit: (batch) => through(() => store.commit(batch), 'store.commit'),
  };
}

function vaultThrough(vault: Vault, through: Through): Vault {
  return {
    read: (place) => through(() => vault.read(place), 'vault.read'),
    write: (place, text) => through(() => vault.write(place, text), 'vault.write'),
    erase: (place) => through(() => vault.erase(place), 'vault.erase'),
  };
}

/** Sources in a store, with their secrets in memory, and what finds them. */
export function sourceWorld(store: ListedStore = new MemoryStorage()) {
  const memory = memoryVault();
  const clock = { nowMs: NOW_MS };
  const now = () => clock.nowMs;
  const isCompany = async (companyId: string) => companyId !== 'nobody';
  return {
    ...memory,
    clock,
    store,
    sources: administer({ store, vault: memory.vault, isCompany, now }),
    /** The same sources, where every call goes through a function. */
    sourcesThrough: (through: Through) =>
      administer({ store: storeThrough(store, through), vault: vaultThrough(memory.vault, through), isCompany, now }),
    directory: sourcesIn(store),
    secretsOf: secretsIn(memory.vault, now),
  };
}

/** A source that a sender sends to. */
export function sourceFor({ settings }: Sender, name = 'cms', companyId = 'acme') {
  return { name, companyId, mapping: '{ "create": body }', scheme: settings };
}
