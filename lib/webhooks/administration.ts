import { randomBytes, randomInt } from 'node:crypto';
import { COMPANY_ID } from '../contract/company-id.ts';
import { Problem } from '../contract/problem.ts';
import { NO_SUCH_COMPANY } from '../credentials/company-record.ts';
import type { SecretStore } from '../credentials/secret-store.ts';
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

/** Which source is meant: once it is removed, another one may have its name. */
export type SourceIdentity = Pick<ListedSource, 'sourceId'>;

/**
 * The sources of a gateway. Every method may fail with the problems `unavailable` and `outcome-unknown`. A change of a
 * source is refused if the source is removed and added again meanwhile, or since it was read as `source`.
 */
export interface Sources {
  /** @throws {SourceRefusal} */
  add(source: NewSource, secret: string): Promise<void>;
  /**
   * Gives a source another secret. The newest of those that it has stays live beside it, an older one does not.
   * @throws {SourceRefusal}
   */
  rotate(name: string, secret: string, source?: SourceIdentity): Promise<void>;
  /**
   * Leaves a source its newest secret alone. To do so again changes nothing.
   * @throws {SourceRefusal}
   */
  dropOld(name: string, source?: SourceIdentity): Promise<void>;
  /**
   * Gives a source another mapping, for whatever is worked on from now on. To do so again changes nothing.
   * @throws {SourceRefusal}
   */
  remap(name: string, mapping: string, source?: SourceIdentity): Promise<void>;
  /**
   * Ends a source: from the next message on there is none of its name.
   * @throws {SourceRefusal}
   */
  remove(name: string, source?: SourceIdentity): Promise<void>;
  /** @throws {SourceRefusal} where there is none of the name */
  get(name: string): Promise<ListedSource>;
  /** @returns `undefined` where there is none of the name */
  find(name: string): Promise<ListedSource | undefined>;
  /** The newest live secret of a source. @throws {SourceRefusal} if it cannot be read */
  secret(source: Pick<SignedSource, 'secretsAt'>): Promise<string>;
  /** Every source, in the order of their names from the last. */
  list(): AsyncIterable<ListedSource>;
}

const REPLACED = 'the source was removed and added again meanwhile: nothing was changed';

const PAGE = { limit: 100, maxBytes: 1_000_000 } as const;

/** The longest mapping, in bytes. */
export const MAPPING_BYTES = 65_536;

/** Random so that no change of a removed source fits the next one of its name; small enough to count on from it. */
const MOST_FIRST_VERSION = 2 ** 48 - 1;

/** What sources are administered with. */
export interface Administration {
  readonly store: ListedStore;
  readonly secretStore: SecretStore;
  /** Whether a company exists. */
  readonly isCompany: (companyId: string) => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * The sources in a store, and their secrets in a secret store. A secret counts once the source's record names it: a change
 * that breaks off leaves the source as it was.
 */
export function administer({ store, secretStore, isCompany, now }: Administration): Sources {
  /** Puts secrets in a new place, and makes the change that names it; a change that was not made leaves nothing there. */
  async function commitWith(name: string, secrets: readonly string[], writeOf: (secretsAt: string) => Write) {
    const secretsAt = `${name}-${newId()}`;
    await secretStore.create(secretsAt, writeSecrets(secrets));
    try {
      const { ok } = await store.commit({ writes: [writeOf(secretsAt)] });
      if (!ok) await secretStore.delete(secretsAt);
      return ok;
    } catch (error) {
      // Where it cannot be told whether it was made, the place may be the source's: it is better kept for nothing.
      if (!isUnknown(error)) await secretStore.delete(secretsAt);
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

  /**
   * Tries to change a source until nobody else was faster.
   * @param attempt whether it was made, or need not be made
   */
  async function change(
    name: string,
    source: SourceIdentity | undefined,
    attempt: (record: SourceRecord, version: number) => Promise<boolean>,
  ): Promise<void> {
    for (let sourceId = source?.sourceId; ; ) {
      const { data, version } = await require(name);
      const record = SourceRecord.parse(data);
      sourceId ??= record.sourceId;
      if (record.sourceId !== sourceId) throw new SourceRefusal(REPLACED);
      if (await attempt(record, version)) return;
    }
  }

  /** @returns `undefined` if the source has changed since it was read: then its secrets may be elsewhere */
  async function liveSecrets(name: string, { secretsAt }: SourceRecord, version: number) {
    try {
      return readSecrets(await secretStore.read(secretsAt));
    } catch (error) {
      if ((await store.read(sourceKey(name)))?.version !== version) return undefined;
      throw error;
    }
  }

  /** Changes the secrets of a source. @param secretsFor gives those that stay as they are where there is nothing to change */
  const changeSecrets = (
    name: string,
    source: SourceIdentity | undefined,
    secretsFor: (live: readonly string[], source: SignedSource) => readonly string[],
  ) =>
    change(name, source, async (record, version) => {
      const live = await liveSecrets(name, record, version);
      if (!live) return false;
      const secrets = secretsFor(live, { name, ...record });
      if (secrets === live) return true;
      const isDone = await commitWith(name, secrets, (secretsAt) => {
        const data: SourceRecord = { ...record, secretsAt, liveSecrets: secrets.length, rotatedAtUtc: utcNow() };
        return { kind: 'replace', key: sourceKey(name), version, data };
      });
      if (isDone) await secretStore.delete(record.secretsAt);
      return isDone;
    });

  function utcNow(): string {
    return new Date(now()).toISOString();
  }

  return {
    async add({ name, ...source }, secret) {
      requireUsable({ name, ...source }, secret);
      if (!(await isCompany(source.companyId))) throw new SourceRefusal(NO_SUCH_COMPANY);
      const isDone = await commitWith(name, [secret], (secretsAt) => {
        const { scopes = SOURCE_SCOPES } = source;
        const record = { ...source, scopes: [...scopes], sourceId: newId() };
        const data: SourceRecord = { ...record, secretsAt, liveSecrets: 1, createdAtUtc: utcNow() };
        return { kind: 'insert', key: sourceKey(name), data, firstVersion: randomInt(1, MOST_FIRST_VERSION) };
      });
      if (!isDone)
        throw new SourceRefusal('there is a source of this name already: remove it first, or rotate its secret');
    },

    rotate: (name, secret, source) =>
      changeSecrets(name, source, (live, { scheme }) => {
        requireSecret(scheme, secret);
        if (live.includes(secret)) throw new SourceRefusal('the source has this secret already');
        return [secret, ...live].slice(0, MOST_LIVE_SECRETS);
      }),

    dropOld: (name, source) => changeSecrets(name, source, (live) => (live.length === 1 ? live : live.slice(0, 1))),

    async remap(name, mapping, source) {
      requireMapping(mapping);
      await change(name, source, async (record, version) => {
        const data: SourceRecord = { ...record, mapping };
        const { ok } = await store.commit({ writes: [{ kind: 'replace', key: sourceKey(name), version, data }] });
        return ok;
      });
    },

    remove: (name, source) =>
      change(name, source, async ({ secretsAt }, version) => {
        const { ok } = await store.commit({ writes: [{ kind: 'remove', key: sourceKey(name), version }] });
        if (ok) await secretStore.delete(secretsAt);
        return ok;
      }),

    get: async (name) => sourceOf(await require(name)),

    find,

    async secret({ secretsAt }) {
      const [newest] = readSecrets(await secretStore.read(secretsAt).catch(unreadable));
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

function newId(): string {
  return randomBytes(6).toString('hex');
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
