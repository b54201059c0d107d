import { randomBytes, randomInt } from 'node:crypto';
import { COMPANY_ID } from '../contract/credentials.ts';
import { Problem } from '../contract/problem.ts';
import { NO_SUCH_COMPANY } from '../credentials/company-record.ts';
import type { SecretStore } from '../credentials/secret-store.ts';
import { eachItem, type Item, type ListedStore, type Write } from '../storage/port.ts';
import { schemeOf } from './signature-schemes/schemes.ts';
import {
  type ListedSource,
  MAX_LIVE_SECRETS,
  readSecrets,
  type SignedSource,
  SOURCE,
  SOURCE_NAME,
  SOURCE_SCOPES,
  SOURCES,
  SourceRecord,
  sourceKey,
  sourceOf,
} from './sources.ts';

/** An invalid request. The message is for a person, and never repeats a secret. */
export class SourceRefusal extends Error {
  override readonly name = 'SourceRefusal';
}

/** A source to add. */
export type NewSource = Omit<SignedSource, 'secretsAt'>;

/** Identifies a source: after it is removed, another one may have its name. */
export type SourceIdentity = Pick<ListedSource, 'sourceId'>;

/** The longest mapping, in bytes. */
export const MAX_MAPPING_BYTES = 65_536;

/** Versions begin at random, so that no change of a removed source fits a later one of its name. */
const MAX_FIRST_VERSION = 2 ** 48 - 1;

export interface SourceAdminDeps {
  readonly store: ListedStore;
  readonly secretStore: SecretStore;
  /** Whether a company exists. */
  readonly isCompany: (companyId: string) => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type SourceAdmin = ReturnType<typeof sourceAdmin>;

/**
 * Adds, changes and lists sources. A secret takes effect when the source's record names it, so a change that is cut off
 * leaves the source as it was. Every method may fail with `SourceRefusal` and with the problems `unavailable` and
 * `outcome-unknown`. A change is refused if the source was removed and added again, meanwhile or since it was read as `source`.
 */
export function sourceAdmin({ store, secretStore, isCompany, now }: SourceAdminDeps) {
  /** Stores secrets under a new name, and commits the record that has this name. @returns whether it was committed */
  async function commitSecrets(name: string, secrets: readonly string[], writeOf: (secretsAt: string) => Write) {
    const secretsAt = `${name}-${newId()}`;
    await secretStore.create(secretsAt, JSON.stringify(secrets));
    try {
      const { ok } = await store.commit({ writes: [writeOf(secretsAt)] });
      if (!ok) await secretStore.delete(secretsAt);
      return ok;
    } catch (error) {
      // If the outcome is unknown, the record may have this name: keep the secrets.
      if (!(error instanceof Problem && error.name === 'outcome-unknown')) await secretStore.delete(secretsAt);
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

  /** Repeats an attempt until no concurrent change interferes. @param attempt returns whether the change is done */
  async function change(
    name: string,
    source: SourceIdentity | undefined,
    attempt: (record: SourceRecord, version: number) => Promise<boolean>,
  ): Promise<void> {
    for (let sourceId = source?.sourceId; ; ) {
      const { data, version } = await require(name);
      const record = SourceRecord.parse(data);
      sourceId ??= record.sourceId;
      if (record.sourceId !== sourceId) {
        throw new SourceRefusal('the source was removed and added again meanwhile: nothing was changed');
      }
      if (await attempt(record, version)) return;
    }
  }

  /** @returns `undefined` if the source has changed since it was read, and its secrets with it */
  async function liveSecrets(name: string, { secretsAt }: SourceRecord, version: number) {
    try {
      return readSecrets(await secretStore.read(secretsAt));
    } catch (error) {
      if ((await store.read(sourceKey(name)))?.version !== version) return undefined;
      throw error;
    }
  }

  /** Changes the secrets of a source. @param secretsFor returns `live` itself if there is nothing to change */
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
      const isDone = await commitSecrets(name, secrets, (secretsAt) => {
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
    async add({ name, ...source }: NewSource, secret: string): Promise<void> {
      requireUsable({ name, ...source }, secret);
      if (!(await isCompany(source.companyId))) throw new SourceRefusal(NO_SUCH_COMPANY);
      const isDone = await commitSecrets(name, [secret], (secretsAt) => {
        const { scopes = SOURCE_SCOPES } = source;
        const record = { ...source, scopes: [...scopes], sourceId: newId() };
        const data: SourceRecord = { ...record, secretsAt, liveSecrets: 1, createdAtUtc: utcNow() };
        return { kind: 'insert', key: sourceKey(name), data, firstVersion: randomInt(1, MAX_FIRST_VERSION) };
      });
      if (!isDone)
        throw new SourceRefusal('there is a source of this name already: remove it first, or rotate its secret');
    },

    /** Adds a secret. The newest of the others stays live. */
    rotate: (name: string, secret: string, source?: SourceIdentity): Promise<void> =>
      changeSecrets(name, source, (live, { scheme }) => {
        requireSecret(scheme, secret);
        if (live.includes(secret)) throw new SourceRefusal('the source has this secret already');
        return [secret, ...live].slice(0, MAX_LIVE_SECRETS);
      }),

    /** Drops all secrets but the newest. Repeating this changes nothing. */
    dropOld: (name: string, source?: SourceIdentity): Promise<void> =>
      changeSecrets(name, source, (live) => (live.length === 1 ? live : live.slice(0, 1))),

    /** Replaces the mapping, also for deliveries that are open. Repeating this changes nothing. */
    async remap(name: string, mapping: string, source?: SourceIdentity): Promise<void> {
      requireMapping(mapping);
      await change(name, source, async (record, version) => {
        const data: SourceRecord = { ...record, mapping };
        return (await store.commit({ writes: [{ kind: 'replace', key: sourceKey(name), version, data }] })).ok;
      });
    },

    /** Removes a source. The next message finds no source. */
    remove: (name: string, source?: SourceIdentity): Promise<void> =>
      change(name, source, async ({ secretsAt }, version) => {
        const { ok } = await store.commit({ writes: [{ kind: 'remove', key: sourceKey(name), version }] });
        if (ok) await secretStore.delete(secretsAt);
        return ok;
      }),

    /** Finds a source. @throws {SourceRefusal} if there is no source of this name */
    get: async (name: string): Promise<ListedSource> => sourceOf(await require(name)),

    find,

    /** The newest live secret of a source. @throws {SourceRefusal} if it cannot be read */
    async secret({ secretsAt }: Pick<ListedSource, 'secretsAt'>): Promise<string> {
      const [newest] = readSecrets(await secretStore.read(secretsAt).catch(unreadable));
      if (newest === undefined) throw new SourceRefusal('the source has no live secret');
      return newest;
    },

    /** Lists all sources, in descending order of their names. */
    async *list(): AsyncGenerator<ListedSource> {
      for await (const item of eachItem(store, SOURCES, SOURCE)) yield sourceOf(item);
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

function requireUsable({ name, companyId, mapping, scheme }: NewSource, secret: string): void {
  if (!SOURCE_NAME.test(name))
    throw new SourceRefusal('a source has a name of 1 to 63 of a-z, 0-9 and "-", the first of them no "-"');
  if (!COMPANY_ID.test(companyId))
    throw new SourceRefusal('a company id is 1 to 64 letters, digits, "_" and "-" of ASCII');
  requireMapping(mapping);
  requireSecret(scheme, secret);
}

function requireMapping(mapping: string): void {
  if (Buffer.byteLength(mapping) > MAX_MAPPING_BYTES)
    throw new SourceRefusal(`a mapping has at most ${MAX_MAPPING_BYTES} bytes`);
}

function requireSecret(settings: SignedSource['scheme'], secret: string): void {
  const scheme = schemeOf(settings);
  if (!scheme.verifierOf(secret)) throw new SourceRefusal(`a secret of this scheme is ${scheme.secretForm}`);
}
