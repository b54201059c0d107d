import { randomBytes, randomInt } from 'node:crypto';
import { COMPANY_ID } from '../contract/credentials.ts';
import { NO_SUCH_COMPANY } from '../credentials/company-record.ts';
import { commitSecrets, MAX_LIVE_SECRETS, readSecrets } from '../credentials/live-secrets.ts';
import type { SecretStore } from '../credentials/secret-store.ts';
import { eachItem, type Item, type ListedStore, type Write } from '../storage/port.ts';
import { schemeOf } from './signature-schemes/schemes.ts';
import {
  type ListedSource,
  type SignedSource,
  SOURCE,
  SOURCE_NAME,
  SOURCE_SCOPES,
  SOURCES,
  SourceRecord,
  sourceKey,
  sourceOf,
} from './sources.ts';

/** An invalid request to change a source. The message is for the user of the CLI, and never contains a secret. */
export class SourceRefusal extends Error {
  override readonly name = 'SourceRefusal';
}

/** The fields of a source to add. */
export type NewSource = Omit<SignedSource, 'secretsAt'>;

/** The id of one source. A name is not enough: after the source is removed, another source may get its name. */
export type SourceIdentity = Pick<ListedSource, 'sourceId'>;

/** The size limit of a mapping, in bytes. */
export const MAX_MAPPING_BYTES = 65_536;

/**
 * The upper limit of a source's first version, which is random. A late change to a removed source therefore fails if
 * another source has its name by then, because the versions differ.
 */
const MAX_FIRST_VERSION = 2 ** 48 - 1;

/** The methods that read webhook sources. */
export type SourceReader = ReturnType<typeof sourceReader>;

/** Reads the webhook sources in a store. */
export function sourceReader(store: ListedStore) {
  return {
    /** Finds a source; `undefined` if no source has this name. */
    async find(name: string): Promise<ListedSource | undefined> {
      const item = await store.read(sourceKey(name));
      return item && sourceOf(item);
    },
    /** Lists all sources, in descending order of their names. */
    async *list(): AsyncGenerator<ListedSource> {
      for await (const item of eachItem(store, SOURCES, SOURCE)) yield sourceOf(item);
    },
  };
}

/** The dependencies of `sourceAdmin`. */
export interface SourceAdminDeps {
  readonly store: ListedStore;
  readonly secretStore: SecretStore;
  /** Returns whether a company exists. */
  readonly isCompany: (companyId: string) => Promise<boolean>;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The methods that change and read webhook sources. */
export type SourceAdmin = ReturnType<typeof sourceAdmin>;

/**
 * Adds, changes and lists webhook sources. Secrets are stored first, and take effect when the source's record names
 * them. So a change that does not finish leaves the source as it was.
 *
 * Every method may fail with `SourceRefusal`, or with the problem `unavailable` or `outcome-unknown`. A change fails
 * with `SourceRefusal` if the source has been removed and added again since the caller read it.
 */
export function sourceAdmin({ store, secretStore, isCompany, now }: SourceAdminDeps) {
  const { find, list } = sourceReader(store);
  const commit = (name: string, secrets: readonly string[], writeOf: (secretsAt: string) => Write) =>
    commitSecrets(
      { store, secretStore },
      { prefix: name, secrets, writeOf, currentName: async () => (await find(name))?.secretsAt },
    );

  async function require(name: string): Promise<Item> {
    const item = SOURCE_NAME.test(name) ? await store.read(sourceKey(name)) : undefined;
    if (item) return item;
    throw new SourceRefusal('no webhook source has this name: to see all names, run: segue source list');
  }

  /**
   * Changes a source. It repeats the attempt while concurrent changes interfere.
   * @param source the source as the caller read it; by default the source that has this name now
   * @param attempt makes the change; it returns whether the change is done
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
      if (record.sourceId !== sourceId) {
        throw new SourceRefusal(
          'the source was removed and added again meanwhile, so nothing was changed: run the command again',
        );
      }
      if (await attempt(record, version)) return;
    }
  }

  /** Reads the live secrets of a source. @returns `undefined` if the source has changed since its record was read */
  async function liveSecrets(name: string, { secretsAt }: SourceRecord, version: number) {
    try {
      return readSecrets(await secretStore.read(secretsAt));
    } catch (error) {
      if ((await store.read(sourceKey(name)))?.version !== version) return undefined;
      throw error;
    }
  }

  /** Changes the secrets of a source. @param secretsFor returns the new secrets, or `live` to change nothing */
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
      const isDone = await commit(name, secrets, (secretsAt) => {
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
    /** Adds a source with its first secret. */
    async add({ name, ...source }: NewSource, secret: string): Promise<void> {
      requireUsable({ name, ...source }, secret);
      if (!(await isCompany(source.companyId))) throw new SourceRefusal(NO_SUCH_COMPANY);
      const isDone = await commit(name, [secret], (secretsAt) => {
        const { scopes = SOURCE_SCOPES } = source;
        const record = { ...source, scopes: [...scopes], sourceId: newId() };
        const data: SourceRecord = { ...record, secretsAt, liveSecrets: 1, createdAtUtc: utcNow() };
        return { kind: 'insert', key: sourceKey(name), data, firstVersion: randomInt(1, MAX_FIRST_VERSION) };
      });
      if (!isDone)
        throw new SourceRefusal(
          'another webhook source already has this name: remove that source first, or rotate its secret',
        );
    },

    /** Adds a secret to a source. Of the older secrets, only the newest stays live. */
    rotate: (name: string, secret: string, source?: SourceIdentity): Promise<void> =>
      changeSecrets(name, source, (live, { scheme }) => {
        requireSecret(scheme, secret);
        if (live.includes(secret)) throw new SourceRefusal('the source already has this secret: give it a new one');
        return [secret, ...live].slice(0, MAX_LIVE_SECRETS);
      }),

    /** Removes all secrets of a source except the newest. Repeating this changes nothing. */
    dropOld: (name: string, source?: SourceIdentity): Promise<void> =>
      changeSecrets(name, source, (live) => (live.length === 1 ? live : live.slice(0, 1))),

    /** Replaces the mapping of a source. Open deliveries use the new mapping too. Repeating this changes nothing. */
    async remap(name: string, mapping: string, source?: SourceIdentity): Promise<void> {
      requireMapping(mapping);
      await change(name, source, async (record, version) => {
        const data: SourceRecord = { ...record, mapping };
        return (await store.commit({ writes: [{ kind: 'replace', key: sourceKey(name), version, data }] })).ok;
      });
    },

    /** Removes a source. It takes effect with the next message. */
    remove: (name: string, source?: SourceIdentity): Promise<void> =>
      change(name, source, async ({ secretsAt }, version) => {
        const { ok } = await store.commit({ writes: [{ kind: 'remove', key: sourceKey(name), version }] });
        if (ok) await secretStore.delete(secretsAt);
        return ok;
      }),

    /** Reads a source. @throws {SourceRefusal} if no source has this name */
    get: async (name: string): Promise<ListedSource> => sourceOf(await require(name)),

    find,
    list,

    /** Reads the newest live secret of a source. @throws {SourceRefusal} if the secret cannot be read */
    async secret({ secretsAt }: Pick<ListedSource, 'secretsAt'>): Promise<string> {
      const [newest] = readSecrets(await secretStore.read(secretsAt).catch(unreadable));
      if (newest === undefined) throw new SourceRefusal('the source has no live secret');
      return newest;
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
    throw new SourceRefusal(
      'the name of a webhook source must have 1 to 63 characters of a-z, 0-9 and "-", and must not begin with "-"',
    );
  if (!COMPANY_ID.test(companyId))
    throw new SourceRefusal('a company id must have 1 to 64 characters: ASCII letters, digits, "_" and "-"');
  requireMapping(mapping);
  requireSecret(scheme, secret);
}

function requireMapping(mapping: string): void {
  if (Buffer.byteLength(mapping) > MAX_MAPPING_BYTES)
    throw new SourceRefusal(`the mapping is too long: a mapping may have at most ${MAX_MAPPING_BYTES} bytes`);
}

function requireSecret(settings: SignedSource['scheme'], secret: string): void {
  const scheme = schemeOf(settings);
  if (!scheme.verifierOf(secret))
    throw new SourceRefusal(`the secret does not have the form that this scheme requires: ${scheme.secretForm}`);
}
