import { describe, expect, it } from 'vitest';
import { eventSecretsIn, eventSecretsReader } from '../../../lib/credentials/event-secrets.ts';
import { liveSecretsIn } from '../../../lib/credentials/live-secrets.ts';
import type { SecretStore } from '../../../lib/credentials/secret-store.ts';
import type { ItemStore } from '../../../lib/storage/port.ts';
import { FEWER_WAYS, faulty, storeFailure } from '../../faults/faulty.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { heldNow } from '../support.ts';
import { itemsThrough } from '../webhooks/world.ts';

function world() {
  const store = new MemoryStorage();
  const texts = new Map<string, string>();
  const secretStore: SecretStore = {
    async read(name) {
      const text = texts.get(name);
      if (text === undefined) throw new Error('There is no such secret');
      return text;
    },
    create: async (name, text) => void texts.set(name, text),
    delete: async (name) => void texts.delete(name),
  };
  return {
    store,
    texts,
    secretsOn: (items: ItemStore) => eventSecretsIn({ store: items, secretStore, now: heldNow }),
    secrets: eventSecretsIn({ store, secretStore, now: heldNow }),
    live: eventSecretsReader(store, liveSecretsIn(secretStore, heldNow)),
  };
}

describe('event secrets', () => {
  it('are made at the first need, and shown again until a rotation', async () => {
    const { secrets, live } = world();
    expect(await live('acme')).toEqual([]);
    const first = await secrets.current('acme');
    expect(first).toEqual({ secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/), liveSecrets: 1 });
    expect(await secrets.current('acme')).toEqual(first);
    expect(await live('acme')).toEqual([first.secret]);
  });

  it('are at most two, and the newest signs first', async () => {
    const { secrets, live, texts } = world();
    const [, second, third] = [
      await secrets.rotate('acme'),
      await secrets.rotate('acme'),
      await secrets.rotate('acme'),
    ];
    expect(third.liveSecrets).toBe(2);
    expect(await live('acme')).toEqual([third.secret, second.secret]);
    expect(await secrets.dropOld('acme')).toBe(true);
    expect(await secrets.dropOld('acme')).toBe(false);
    expect(await live('acme')).toEqual([third.secret]);
    expect(texts.size).toBe(1);
  });

  it('belong to one company, and the store of items never has them', async () => {
    const { secrets, live, store } = world();
    const { secret } = await secrets.rotate('acme');
    expect(await live('other')).toEqual([]);
    expect(JSON.stringify(store.all())).not.toContain(secret.slice('whsec_'.length));
  });

  it('of concurrent rotations are all different, and the last two are live', async () => {
    const { secrets, live } = world();
    const made = await Promise.all(Array.from({ length: 4 }, () => secrets.rotate('acme')));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(4);
    const left = await live('acme');
    expect(left).toHaveLength(2);
    expect(made.map(({ secret }) => secret)).toEqual(expect.arrayContaining([...left]));
  });

  it('stay readable wherever a rotation is killed', async () => {
    for (const way of FEWER_WAYS) {
      for (let at = 1, calls = at; at <= calls; at++) {
        const { secretsOn, secrets, live, store } = world();
        const { secret } = await secrets.rotate('acme');
        const broken = faulty((call) => (call === at ? way : undefined), storeFailure);
        const rotation = secretsOn(itemsThrough(store, broken.through)).rotate('acme');
        await Promise.race([rotation.catch(() => {}), broken.stopped]);
        calls = Math.max(calls, broken.calls());
        expect((await live('acme')).at(-1)).toBe(secret);
        expect((await secrets.rotate('acme')).liveSecrets).toBe(2);
      }
    }
  });
});
