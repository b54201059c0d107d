import { randomBytes, randomInt } from 'node:crypto';
import { COMPANY_ID } from '../contract/basic-credentials.ts';
import { NO_SUCH_COMPANY, SEGUE } from '../contract/segue-command.ts';
import {
  commitSecrets,
  MAX_LIVE_SECRETS,
  readSecrets,
  type SecretsOwner,
  withNewSecret,
} from '../credentials/live-secrets.ts';
import type { SecretStore } from '../credentials/secret-store.ts';
import { schemeOf } from '../signatures/schemes.ts';
import { eachItem, type Item, type ListedStore, type Write } from '../storage/port.ts';
import { FETCH_HEADER, type FetchSettings, faultOfFetch } from './source-fetch.ts';
import {
  type ListedSource,
  MappingRecord,
  mappingKey,
  NameRecord,
  nameKey,
  readRecord,
  readSource,
  type SignedSource,
  SOURCE_NAME,
  SOURCE_NAMES,
  SOURCE_SCOPES,
  type SourceFetch,
  SourceRecord,
  sourceKey,
  sourcesIn,
} from './sources.ts';

/** An invalid request to change a source. The message is for the user of the CLI, and never contains a secret. */
class SourceRefusal extends Error {
  override readonly name = 'SourceRefusal';
}

/** The fetch of a source to add or change. */
export interface NewFetch extends FetchSettings {
  /** The value of the header. If absent, the source keeps the secret that it has, unless a host is new. */
  readonly secret?: string | undefined;
}

/** The fields of a source to add. */
export interface NewSource
  extends Pick<ListedSource, 'name' | 'companyId' | 'mapping' | 'scopes' | 'scheme' | 'messageId' | 'dedupeMinutes'> {
  readonly fetch?: NewFetch | undefined;
}

/** What to change of a source. What is absent stays. */
export interface SourceChange {
  readonly mapping?: string | undefined;
  readonly scopes?: ListedSource['scopes'];
  /** `null` to remove the fetch. */
  readonly fetch?: NewFetch | null | undefined;
}

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
    find: (name: string): Promise<ListedSource | undefined> => readSource(store, name),
    /**
     * Lists the sources of a company, in descending order of their names.
     * @param companyId the id of the company; by default, the sources of all companies are listed
     */
    async *list(companyId?: string): AsyncGenerator<ListedSource> {
      for await (const { sort: name, data } of eachItem(store, SOURCE_NAMES, '')) {
        if (companyId !== undefined && NameRecord.parse(data).companyId !== companyId) continue;
        const source = await readSource(store, name);
        if (source) yield source;
      }
    },
  };
}

/** The dependencies of `sourceAdmin`. */
export interface SourceAdminDeps {
  readonly store: ListedStore;
  readonly secretStore: SecretStore;
  /** Opens the store of the secrets of fetches. */
  readonly fetchSecretStore: () => SecretStore;
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
export function sourceAdmin({ store, secretStore, fetchSecretStore, isCompany, now }: SourceAdminDeps) {
  const { find, list } = sourceReader(store);
  const { find: findSigned } = sourcesIn(store);
  const commit = (name: string, secrets: readonly string[], writesOf: (secretsAt: string) => readonly Write[]) =>
    commitSecrets(
      { store, secretStore },
      { prefix: name, secrets, writesOf, currentName: async () => (await findSigned(name))?.secretsAt },
    );

  async function require(name: string): Promise<Item> {
    return (await readRecord(store, name)) ?? noSuchSource();
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

  /** Reads the item of a source's mapping. @returns `undefined` if the source has changed since its record was read */
  async function mappingItem(name: string, record: SourceRecord, version: number): Promise<Item | undefined> {
    const item = await store.read(mappingKey(name, record));
    if (item || (await store.read(sourceKey(name)))?.version !== version) return item;
    throw new RangeError('The store has lost the mapping of a webhook source');
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
    secretsFor: (live: readonly string[], source: Pick<SignedSource, 'scheme'>) => readonly string[],
  ) =>
    change(name, source, async (record, version) => {
      const live = await liveSecrets(name, record, version);
      if (!live) return false;
      const secrets = secretsFor(live, record);
      if (secrets === live) return true;
      const isDone = await commit(name, secrets, (secretsAt) => {
        const data: SourceRecord = { ...record, secretsAt, liveSecrets: secrets.length, rotatedAtUtc: utcNow() };
        return [{ kind: 'replace', key: sourceKey(name), version, data }];
      });
      if (isDone) await secretStore.delete(record.secretsAt);
      return isDone;
    });

  /** Stores the secret of a fetch, if there is a new one, and commits the fetch. @returns whether the commit succeeded */
  const commitFetch = (name: string, secret: string | undefined, commit: (secretsAt?: string) => Promise<boolean>) =>
    secret === undefined ? commit() : withNewSecret(fetchSecretStore(), { prefix: name, secrets: [secret] }, commit);

  const deleteFetchSecret = async (secretsAt: string | undefined) => {
    if (secretsAt !== undefined) await fetchSecretStore().delete(secretsAt);
  };

  function utcNow(): string {
    return new Date(now()).toISOString();
  }

  return {
    /** Adds a source with its first secret. */
    async add({ name, mapping, fetch, ...source }: NewSource, secret: string): Promise<void> {
      requireUsable({ name, mapping, ...source }, secret);
      if (fetch) requireFetch(fetch);
      const { companyId, scopes = SOURCE_SCOPES } = source;
      if (!(await isCompany(companyId))) throw new SourceRefusal(NO_SUCH_COMPANY);
      const isDone = await commitFetch(name, fetch?.secret, (fetchSecretsAt) =>
        commit(name, [secret], (secretsAt) => {
          const record = { ...source, scopes: [...scopes], sourceId: newId() };
          const data: SourceRecord = { ...record, secretsAt, liveSecrets: 1, createdAtUtc: utcNow() };
          const listed: NameRecord = { companyId };
          const mapped: MappingRecord = { mapping, ...(fetch && { fetch: storedFetch(fetch, fetchSecretsAt) }) };
          return [
            { kind: 'insert', key: sourceKey(name), data, firstVersion: randomInt(1, MAX_FIRST_VERSION) },
            { kind: 'insert', key: mappingKey(name, record), data: mapped },
            { kind: 'insert', key: nameKey(name), data: listed },
          ];
        }),
      );
      if (!isDone)
        throw new SourceRefusal(
          `another webhook source already has this name: remove that source first, or give it a new secret with ${SEGUE} source rotate ${name}, and --secret-from-stdin if the system makes the secret`,
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

    /**
     * Replaces the mapping, the scopes or the fetch of a source, or several of them. Open deliveries use the new ones too,
     * but not the new fetch if they have fetched already. Repeating this changes nothing.
     */
    async change(name: string, { mapping, scopes, fetch }: SourceChange, source?: SourceIdentity): Promise<void> {
      if (mapping !== undefined) requireMapping(mapping);
      if (fetch) requireFetch(fetch);
      await change(name, source, async (record, version) => {
        const key = sourceKey(name);
        const data: SourceRecord = { ...record, ...(scopes && { scopes: [...scopes] }) };
        const write: Write = scopes ? { kind: 'replace', key, version, data } : { kind: 'check', key, version };
        if (mapping === undefined && fetch === undefined) return (await store.commit({ writes: [write] })).ok;
        const item = await mappingItem(name, record, version);
        if (!item) return false;
        const before = MappingRecord.parse(item.data);
        return commitFetch(name, fetch?.secret, async (secretsAt) => {
          const mapped = changedMapping(before, { mapping, fetch }, secretsAt);
          const { ok } = await store.commit({
            writes: [write, { kind: 'replace', key: mappingKey(name, record), version: item.version, data: mapped }],
          });
          const lost = mapped.fetch?.secretsAt === before.fetch?.secretsAt ? undefined : before.fetch?.secretsAt;
          if (ok) await deleteFetchSecret(lost);
          return ok;
        });
      });
    },

    /** Removes a source. It takes effect with the next message. */
    remove: (name: string, source?: SourceIdentity): Promise<void> =>
      change(name, source, async (record, version) => {
        const mapping = await mappingItem(name, record, version);
        if (!mapping) return false;
        const { ok } = await store.commit({
          writes: [
            { kind: 'remove', key: sourceKey(name), version },
            { kind: 'remove', key: mappingKey(name, record), version: mapping.version },
            { kind: 'remove', key: nameKey(name), version: 1 },
          ],
        });
        if (ok) await secretStore.delete(record.secretsAt);
        if (ok) await deleteFetchSecret(MappingRecord.parse(mapping.data).fetch?.secretsAt);
        return ok;
      }),

    /** Reads a source. @throws {SourceRefusal} if no source has this name */
    get: async (name: string): Promise<ListedSource> => (await find(name)) ?? noSuchSource(),

    find,
    list,

    /** Reads the newest live secret of a source. @throws {SourceRefusal} if the secret cannot be read */
    async secret({ secretsAt }: Pick<ListedSource, 'secretsAt'>): Promise<string> {
      const [newest] = readSecrets(await secretStore.read(secretsAt).catch(unreadable));
      if (newest === undefined) throw new SourceRefusal('the source has no live secret');
      return newest;
    },

    /** Reads the secret of a fetch. @throws {SourceRefusal} if the secret cannot be read */
    fetchSecret: async ({ secretsAt }: SecretsOwner): Promise<readonly string[]> =>
      readSecrets(await fetchSecretStore().read(secretsAt).catch(unreadable)),
  };
}

function noSuchSource(): never {
  throw new SourceRefusal(`no webhook source has this name: to see all names, run: ${SEGUE} source list`);
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

function requireFetch({ secret, ...settings }: NewFetch): void {
  const fault = faultOfFetch(settings, secret);
  if (fault !== undefined) throw new SourceRefusal(fault);
}

/** @param secretsAt where the secret is stored, if there is one. A header without a secret is not stored */
function storedFetch({ url, hosts, header }: NewFetch, secretsAt: string | undefined): SourceFetch {
  return { url, hosts: [...hosts], ...(secretsAt !== undefined && { header: header ?? FETCH_HEADER, secretsAt }) };
}

/** @param secretsAt where the new secret of the fetch is stored, if there is one */
function changedMapping(
  before: MappingRecord,
  { mapping = before.mapping, fetch }: SourceChange,
  secretsAt: string | undefined,
): MappingRecord {
  const { fetch: known, ...others } = before;
  if (fetch === null) return { ...others, mapping };
  if (fetch === undefined) return { ...before, mapping };
  if (secretsAt !== undefined || known?.secretsAt === undefined)
    return { ...before, mapping, fetch: storedFetch(fetch, secretsAt) };
  if (!fetch.hosts.every((host) => known.hosts.includes(host)))
    throw new SourceRefusal(
      'the fetch has a new host, which would get the secret of the fetch: give the secret again with --fetch-secret-from-stdin, or remove the fetch first with --no-fetch',
    );
  return {
    ...before,
    mapping,
    fetch: storedFetch({ ...fetch, header: fetch.header ?? known.header }, known.secretsAt),
  };
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
