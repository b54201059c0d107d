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

/** Sources in a store, with their secrets in memory, and what finds them. */
export function sourceWorld(store: ListedStore = new MemoryStorage()) {
  const memory = memoryVault();
  const clock = { nowMs: NOW_MS };
  const now = () => clock.nowMs;
  return {
    ...memory,
    clock,
    store,
    sources: administer({ store, vault: memory.vault, isCompany: async (companyId) => companyId !== 'nobody', now }),
    directory: sourcesIn(store),
    secretsOf: secretsIn(memory.vault, now),
  };
}

/** A source that a sender sends to. */
export function sourceFor({ settings }: Sender, name = 'cms', companyId = 'acme') {
  return { name, companyId, mapping: '{ "create": body }', scheme: settings };
}
