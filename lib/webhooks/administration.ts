import { randomBytes } from 'node:crypto';
import { COMPANY_ID } from '../contract/company-id.ts';
import { Problem } from '../contract/problem.ts';
import { NO_SUCH_COMPANY } from '../credentials/company-record.ts';
import type { Vault } from '../credentials/vault.ts';
import type { Item, ListedStore, Write } from '../storage/port.ts';
import { schemeOf } from './schemes/settings.ts';
import { SOURCE_SCOPES } from './scopes.ts';
import type { SignedSource } from './source.ts';
import { MOST_LIVE_SECRETS, readSecrets, writeSecrets } from './source-secrets.ts';
import { type ListedSource, SOURCE, SOURCE_NAME, SOURCES, SourceRecord, sourceKey, sourceOf } from './sources.ts';

/** What is asked cannot be done. The message is for the person who asked, and repeats nothing that may be a secret. */
export class SourceRefusal extends Error {
  override readonly name = 'SourceRefusal';
}

/** A source as somebody wants it. */
export type NewSource = Omit<SignedSource, 'secretsAt'>;

/** The sources of a gateway. Every method may fail with the problems `unavailable` and `outcome-unknown`. */
export interface Sources {
  /** @throws {SourceRefusal} */
  add(source: NewSource, secret: string): Promise<void>;
  /**
   * Gives a source another secret. The newest of those that it has stays live beside it, an older one does not.
   * @throws {SourceRefusal}
   */
  rotate(name: string, secret: string): Promise<void>;
  /**
   * Leaves a source its newest secret alone. To do so again changes nothing.
   * @throws {SourceRefusal}
   */
  dropOld(name: string): Promise<void>;
  /**
   * Gives a source another mapping, for whatever is worked on from now on. To do so again changes nothing.
   * @throws {SourceRefusal}
   */
  remap(name: string, mapping: string): Promise<void>;
  /**
   * Ends a source: from the next message on there is none of its name.
   * @throws {SourceRefusal}
   */
  remove(name: string): Promise<void>;
  /** @throws {SourceRefusal} where there is none of the name */
  get(name: string): Promise<ListedSource>;
  /** @returns `undefined` where there is none of the name */
  find(name: string): Promise<ListedSource | undefined>;
  /** The newest live secret of a source. @throws {SourceRefusal} if it cannot be read */
  secret(source: Pick<SignedSource, 'secretsAt'>): Promise<string>;
  /** Every source, in the order of their names from the last. */
  list(): AsyncIterable<ListedSource>;
}

const PAGE = { limit: 100, maxBytes: 1_000_000 } as const;

/** The longest mapping, in bytes. */
export const MAPPING_BYTES = 65_536;

/** What sources are administered with. */
export interface Administration {
  readonly store: ListedStore;
  readonly vault: Vault;
  /** Whether a company exists. */
  readonly isCompany: (companyId: string) => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The sources in a store, and their secrets in a vault. What is in the vault counts once the store says where: a change
 * that breaks off leaves the source as it was.
 */
export function administer({ store, vault, isCompany, now }: Administration): Sources {
  /** Puts secrets in a new place, and makes the change that names it; a change that was not made leaves nothing there. */
  async function commitWith(name: string, secrets: readonly string[], writeOf: (secretsAt: string) => Write) {
    const secretsAt = `${name}-${randomBytes(6).toString('hex')}`;
    await vault.write(secretsAt, writeSecrets(secrets));
    try {
      const { ok } = await store.commit({ writes: [writeOf(secretsAt)] });
      if (!ok) await vault.erase(secretsAt);
      return ok;
    } catch (error) {
      // Where it cannot be told whether it was made, the place may be the source's: it is better kept for nothing.
      if (!isUnknown(error)) await vault.erase(secretsAt);
      else if ((await find(name))?.secretsAt === secretsAt) return true;
      throw error;
    }
  }

  async function find(name: string): Promise<ListedSource | undefined> {
    const item = await store.read(sourceKey(name));
    return item && sourceOf(item);
  }

  async function require(name: string): Promise<Item> {
    const item = SOURCE_NAME.test(name) ? await store.read(sourceKey(name)) : undefined;
    if (item) return item;
    throw new SourceRefusal('there is no source of this name: source list shows them');
  }

  /** Changes the secrets of a source. @param change gives those that stay as they are where there is nothing to change */
  async function changeSecrets(
    name: string,
    change: (live: readonly string[], source: SignedSource) => readonly string[],
  ) {
    for (;;) {
      const item = await require(name);
      const record = SourceRecord.parse(item.data);
      const live = readSecrets(await vault.read(record.secretsAt));
      const secrets = change(live, { name, ...record });
      if (secrets === live) return;
      const isDone = await commitWith(name, secrets, (secretsAt) => {
        const data: SourceRecord = { ...record, secretsAt, liveSecrets: secrets.length, rotatedAtUtc: utcNow() };
        return { kind: 'replace', key: sourceKey(name), version: item.version, data };
      });
      if (isDone) return vault.erase(record.secretsAt);
    }
  }

  function utcNow(): string {
    return new Date(now()).toISOString();
  }

  return {
    async add({ name, ...source }, secret) {
      requireUsable({ name, ...source }, secret);
      if (!(await isCompany(source.companyId))) throw new SourceRefusal(NO_SUCH_COMPANY);
      const isDone = await commitWith(name, [secret], (secretsAt) => {
        const { scopes = SOURCE_SCOPES } = source;
        const record = { ...source, scopes: [...scopes] };
        const data: SourceRecord = { ...record, secretsAt, liveSecrets: 1, createdAtUtc: utcNow() };
        return { kind: 'insert', key: sourceKey(name), data };
      });
      if (!isDone)
        throw new SourceRefusal('there is a source of this name already: remove it first, or rotate its secret');
    },

    rotate: (name, secret) =>
      changeSecrets(name, (live, { scheme }) => {
        requireSecret(scheme, secret);
        if (live.includes(secret)) throw new SourceRefusal('the source has this secret already');
        return [secret, ...live].slice(0, MOST_LIVE_SECRETS);
      }),

    dropOld: (name) => changeSecrets(name, (live) => (live.length === 1 ? live : live.slice(0, 1))),

    async remap(name, mapping) {
      requireMapping(mapping);
      for (;;) {
        const { version, data } = await require(name);
        const changed: SourceRecord = { ...SourceRecord.parse(data), mapping };
        const change = { kind: 'replace', key: sourceKey(name), version, data: changed } as const;
        if ((await store.commit({ writes: [change] })).ok) return;
      }
    },

    async remove(name) {
      for (;;) {
        const { version, data } = await require(name);
        const removal = { kind: 'remove', key: sourceKey(name), version } as const;
        if ((await store.commit({ writes: [removal] })).ok) return vault.erase(SourceRecord.parse(data).secretsAt);
      }
    },

    get: async (name) => sourceOf(await require(name)),

    find,

    async secret({ secretsAt }) {
      const [newest] = readSecrets(await vault.read(secretsAt).catch(unreadable));
      if (newest === undefined) throw new SourceRefusal('the source has no live secret');
      return newest;
    },

    async *list() {
      for (let before: string | undefined; ; ) {
        const { items, more } = await store.list(SOURCES, { prefix: SOURCE, before, ...PAGE });
        yield* items.map(sourceOf);
        before = items.at(-1)?.sort;
        if (!more) return;
      }
    },
  };
}

function unreadable(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? `: ${error.code}` : '';
  throw new SourceRefusal(`the secret of the source cannot be read${code}`);
}

function isUnknown(error: unknown): boolean {
  return error instanceof Problem && error.name === 'outcome-unknown';
}

function requireUsable({ name, companyId, mapping, scheme }: NewSource, secret: string): void {
  if (!SOURCE_NAME.test(name))
    throw new SourceRefusal('a source has a name of 1 to 63 of a-z, 0-9 and "-", the first of them no "-"');
  if (!COMPANY_ID.test(companyId))
    throw new SourceRefusal('a company id is 1 to 64 letters, digits, "_" and "-" of ASCII');
  requireMapping(mapping);
  requireSecret(scheme, secret);
}

function requireMapping(mapping: string): void {
  if (Buffer.byteLength(mapping) > MAPPING_BYTES)
    throw new SourceRefusal(`a mapping has at most ${MAPPING_BYTES} bytes`);
}

function requireSecret(settings: SignedSource['scheme'], secret: string): void {
  const scheme = schemeOf(settings);
  if (!scheme.keyOf(secret)) throw new SourceRefusal(`a secret of this scheme is ${scheme.secretForm}`);
}
