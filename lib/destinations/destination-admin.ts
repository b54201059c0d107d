import { randomBytes, randomInt } from 'node:crypto';
import { COMPANY_ID } from '../contract/basic-credentials.ts';
import { utc } from '../contract/date.ts';
import { EVENT_TYPES } from '../contract/event.ts';
import { NO_SUCH_COMPANY, SEGUE } from '../contract/segue-command.ts';
import { commitSecrets, readSecrets } from '../credentials/live-secrets.ts';
import type { SecretStore } from '../credentials/secret-store.ts';
import { type FeedDestination, feedEndKey, readFeedEnd } from '../records/feed-record.ts';
import { ALLOWED_HOST_RULE, MAX_ALLOWED_HOSTS, parseAllowedHost } from '../service/allowed-hosts.ts';
import { faultOfSecretHeader } from '../service/secret-header.ts';
import { eachItem, type Item, type ListedStore, type Write } from '../storage/port.ts';
import { MAX_MAPPING_BYTES } from '../webhooks/source-admin.ts';
import { FETCH_SETTINGS } from '../webhooks/source-fetch.ts';
import { forgetDelivered } from './delivered.ts';
import {
  DESTINATION_NAME,
  DESTINATION_NAMES,
  type Destination,
  DestinationListed,
  DestinationMapping,
  DestinationRecord,
  destinationKey,
  destinationMappingKey,
  destinationNameKey,
  isEventType,
  MAX_DESTINATIONS,
  readDestination,
  readDestinationRecord,
} from './destinations.ts';
import { resultsIn } from './results.ts';

/** An invalid request to change a destination. The message is for the user of the CLI, and never contains a secret. */
class DestinationRefusal extends Error {
  override readonly name = 'DestinationRefusal';
}

/** The fields of a destination to add. */
export type NewDestination = Pick<Destination, 'name' | 'companyId' | 'mapping' | 'fetch' | 'on' | 'hosts'>;
/** The fields of a destination that can be changed. */
export type DestinationChange = Partial<Pick<Destination, 'mapping' | 'on' | 'hosts'>> & {
  /** The new fetch, or `null` to remove it. */
  readonly fetch?: string | null;
};

/** The secret of a destination, with the header in which Segue sends it. */
export interface DestinationSecret {
  readonly header: string;
  readonly secret: string;
}

/** The upper limit of a destination's first version, which is random, because a name may be used again. */
const MAX_FIRST_VERSION = 2 ** 48 - 1;

/** The methods that read destinations. */
export type DestinationReader = ReturnType<typeof destinationReader>;

/** Reads the destinations in a store. */
export function destinationReader(store: ListedStore) {
  return {
    /** Finds a destination; `undefined` if none has this name. */
    find: (name: string): Promise<Destination | undefined> => readDestination(store, name),
    /**
     * Lists the destinations of a company, in descending order of their names.
     * @param companyId the id of the company; by default, the destinations of all companies are listed
     */
    async *list(companyId?: string): AsyncGenerator<Destination> {
      for await (const { sort: name, data } of eachItem(store, DESTINATION_NAMES, '')) {
        if (companyId !== undefined && DestinationListed.parse(data).companyId !== companyId) continue;
        const destination = await readDestination(store, name);
        if (destination) yield destination;
      }
    },
  };
}

/** The dependencies of `destinationAdmin`. */
export interface DestinationAdminDeps {
  /** The store of the projects and their events. */
  readonly store: ListedStore;
  /** The store of the deliveries, if it is another one. */
  readonly deliveries?: ListedStore;
  readonly secretStore: SecretStore;
  /** Returns whether a company exists. */
  readonly isCompany: (companyId: string) => Promise<boolean>;
  /** Returns whether the projects of the store are hosted: no other service tells when a language is completed. By default, they are. */
  readonly isHosted?: () => Promise<boolean>;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The message for a command on a Segue without results. */
export const NO_RESULTS =
  'this Segue stands in front of another service, which does not say when a language is completed: only the hosted service sends results to destinations';

/** The methods that change and read destinations. */
export type DestinationAdmin = ReturnType<typeof destinationAdmin>;

/**
 * Adds, changes and lists destinations. A secret is stored first, and takes effect when the destination's record names
 * it. The record of a company's feed names its destinations too, and changes in the same commit.
 *
 * Every method may fail with `DestinationRefusal`, or with the problem `unavailable` or `outcome-unknown`.
 */
export function destinationAdmin(deps: DestinationAdminDeps) {
  const { store, deliveries = store, secretStore, isCompany, isHosted = async () => true, now } = deps;
  const reader = destinationReader(store);

  async function require(name: string): Promise<{ readonly record: DestinationRecord; readonly version: number }> {
    const item = await readDestinationRecord(store, name);
    if (!item) throw new DestinationRefusal(NO_SUCH_DESTINATION);
    return { record: DestinationRecord.parse(item.data), version: item.version };
  }

  async function mappingItem(name: string, record: DestinationRecord): Promise<Item | undefined> {
    return store.read(destinationMappingKey(name, record));
  }

  /** Makes the write that changes the destinations in the record of a company's feed. */
  async function feedWrite(
    companyId: string,
    change: (destinations: readonly FeedDestination[]) => readonly FeedDestination[],
  ): Promise<Write> {
    const key = feedEndKey(companyId);
    const item = await store.read(key);
    const end = item ? readFeedEnd(item.data) : { position: 0, expiresAtMs: 0 };
    const data = { ...end, destinations: [...change(end.destinations ?? [])] };
    return item ? { kind: 'replace', key, version: item.version, data } : { kind: 'insert', key, data };
  }

  /** Commits writes that name a secret, if there is one. @returns whether the store accepted them */
  async function commit(
    name: string,
    secret: string | undefined,
    writesOf: (secretsAt: string | undefined) => readonly Write[],
  ): Promise<boolean> {
    if (secret === undefined) return (await store.commit({ writes: writesOf(undefined) })).ok;
    const currentName = async () => (await reader.find(name))?.secretsAt;
    return commitSecrets({ store, secretStore }, { prefix: name, secrets: [secret], writesOf, currentName });
  }

  /** Repeats an attempt while concurrent changes, such as a new event of the company, interfere. */
  async function untilDone(attempt: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await attempt()); tries++)
      if (tries === MAX_TRIES) throw new DestinationRefusal('the company changes too often now: run the command again');
  }

  return {
    ...reader,

    /** Adds a destination. Results of events that are recorded from now on go to it. */
    async add(
      { name, companyId, mapping, fetch, ...fields }: NewDestination,
      secret?: DestinationSecret,
    ): Promise<void> {
      if (!DESTINATION_NAME.test(name)) throw new DestinationRefusal(WRONG_NAME);
      if (!COMPANY_ID.test(companyId)) throw new DestinationRefusal(WRONG_COMPANY);
      const on = requireTypes(fields.on);
      const hosts = requireHosts(fields.hosts);
      requireMapping(mapping);
      if (fetch !== undefined) requireFetch(fetch);
      if (secret) requireSecret(secret);
      if (!(await isHosted())) throw new DestinationRefusal(NO_RESULTS);
      if (!(await isCompany(companyId))) throw new DestinationRefusal(NO_SUCH_COMPANY);
      const destinationId = randomBytes(6).toString('hex');
      await untilDone(async () => {
        if (await readDestinationRecord(store, name)) throw new DestinationRefusal(NAME_IN_USE);
        const feed = await feedWrite(companyId, (destinations) => {
          if (destinations.length >= MAX_DESTINATIONS) throw new DestinationRefusal(TOO_MANY);
          return [...destinations, { id: destinationId, name, on }];
        });
        const about = { destinationId, companyId, on, hosts, createdAtUtc: utc(now()) };
        return commit(name, secret?.secret, (secretsAt) => {
          const sealed = secret && secretsAt !== undefined && { secretHeader: secret.header, secretsAt };
          const data: DestinationRecord = { ...about, ...sealed };
          const key = destinationKey(name);
          return [
            { kind: 'insert', key, data, firstVersion: randomInt(1, MAX_FIRST_VERSION) },
            {
              kind: 'insert',
              key: destinationMappingKey(name, about),
              data: { mapping, ...(fetch !== undefined && { fetch }) },
            },
            { kind: 'insert', key: destinationNameKey(name), data: { companyId } },
            feed,
          ];
        });
      });
    },

    /** Changes a destination, also for open deliveries. What is left out stays. Repeating this changes nothing. */
    async change(name: string, { mapping, fetch, ...changed }: DestinationChange): Promise<void> {
      if (mapping !== undefined) requireMapping(mapping);
      if (typeof fetch === 'string') requireFetch(fetch);
      const on = changed.on && requireTypes(changed.on);
      const hosts = changed.hosts && requireHosts(changed.hosts);
      await untilDone(async () => {
        const { record, version } = await require(name);
        const { destinationId: id, companyId } = record;
        const before = await mappingItem(name, record);
        if (!before) return false;
        const data: DestinationRecord = { ...record, ...(on && { on }), ...(hosts && { hosts }) };
        const writes: Write[] = [{ kind: 'replace', key: destinationKey(name), version, data }];
        if (mapping !== undefined || fetch !== undefined) {
          const mapped = { ...DestinationMapping.parse(before.data), ...(mapping !== undefined && { mapping }) };
          if (typeof fetch === 'string') mapped.fetch = fetch;
          if (fetch === null) delete mapped.fetch;
          const key = destinationMappingKey(name, record);
          writes.push({ kind: 'replace', key, version: before.version, data: mapped });
        }
        if (on)
          writes.push(
            await feedWrite(companyId, (all) => all.map((each) => (each.id === id ? { ...each, on } : each))),
          );
        return (await store.commit({ writes })).ok;
      });
    },

    /** Gives a destination another secret, in another header if the caller names one. It takes effect with the next request. */
    async rotate(name: string, secret: string, header?: string): Promise<void> {
      await untilDone(async () => {
        const { record, version } = await require(name);
        const secretHeader = header ?? record.secretHeader;
        if (secretHeader === undefined) throw new DestinationRefusal(NO_HEADER);
        requireSecret({ header: secretHeader, secret });
        const isDone = await commit(name, secret, (secretsAt) => {
          const data = { ...record, secretHeader, ...(secretsAt && { secretsAt }), rotatedAtUtc: utc(now()) };
          return [{ kind: 'replace', key: destinationKey(name), version, data }];
        });
        if (isDone && record.secretsAt !== undefined) await secretStore.delete(record.secretsAt);
        return isDone;
      });
    },

    /** Removes a destination, with its secret and what it remembers of translations. Its open deliveries end. */
    async remove(name: string): Promise<void> {
      let removed: DestinationRecord | undefined;
      await untilDone(async () => {
        const { record, version } = await require(name);
        const mapping = await mappingItem(name, record);
        if (!mapping) return false;
        removed = record;
        const writes: Write[] = [
          { kind: 'remove', key: destinationKey(name), version },
          { kind: 'remove', key: destinationMappingKey(name, record), version: mapping.version },
          { kind: 'remove', key: destinationNameKey(name), version: 1 },
          await feedWrite(record.companyId, (all) => all.filter(({ id }) => id !== record.destinationId)),
        ];
        return (await store.commit({ writes })).ok;
      });
      if (!removed) return;
      const { companyId, destinationId: destination, secretsAt } = removed;
      if (secretsAt !== undefined) await secretStore.delete(secretsAt);
      // An attempt that is running would remember what it delivers.
      await resultsIn(deliveries, now).endSending({ companyId, destination });
      await forgetDelivered(deliveries, { destination });
    },

    /** Reads a destination. @throws {DestinationRefusal} if none has this name */
    async get(name: string): Promise<Destination> {
      const found = await reader.find(name);
      if (!found) throw new DestinationRefusal(NO_SUCH_DESTINATION);
      return found;
    },

    /** Reads the secret of a destination; `undefined` if it has none. */
    async secret({ secretsAt }: Pick<Destination, 'secretsAt'>): Promise<string | undefined> {
      return secretsAt === undefined ? undefined : readSecrets(await secretStore.read(secretsAt))[0];
    },
  };
}

/** How often a change is tried again if others interfere. */
const MAX_TRIES = 20;

const NO_SUCH_DESTINATION = `no destination has this name: to see all names, run: ${SEGUE} destination list`;
const WRONG_NAME =
  'the name of a destination must have 1 to 63 characters of a-z, 0-9 and "-", and must not begin with "-"';
const WRONG_COMPANY = 'a company id must have 1 to 64 characters: ASCII letters, digits, "_" and "-"';
const NAME_IN_USE = 'another destination already has this name: remove that destination first, or change it';
const TOO_MANY = `the company has ${MAX_DESTINATIONS} destinations, which is the most: remove one first`;
const NO_HEADER = 'the destination has no secret yet: name the header for it with --secret-header';

/** The name of a header, as a destination may have it for its secret. */
function requireSecret({ header, secret }: DestinationSecret): void {
  const fault = faultOfSecretHeader('destination', header, secret);
  if (fault !== undefined) throw new DestinationRefusal(fault);
}

function requireTypes(types: readonly string[]): string[] {
  const on = [...new Set(types)];
  if (on.length > 0 && on.every(isEventType)) return on;
  throw new DestinationRefusal(`the events must be one or more of ${EVENT_TYPES.join(', ')}`);
}

function requireHosts(given: readonly string[]): string[] {
  const hosts = given.map(parseAllowedHost);
  const known = hosts.filter((host) => host !== undefined);
  if (known.length === hosts.length && known.length > 0 && known.length <= MAX_ALLOWED_HOSTS)
    return [...new Set(known)];
  throw new DestinationRefusal(`a destination needs 1 to ${MAX_ALLOWED_HOSTS} hosts. Each is ${ALLOWED_HOST_RULE}`);
}

function requireFetch(fetch: string): void {
  const { expressionCharacters: most } = FETCH_SETTINGS;
  if (fetch.trim() === '' || fetch.length > most)
    throw new DestinationRefusal(`the fetch must be a JSONata expression of at most ${most} characters`);
}

function requireMapping(mapping: string): void {
  if (Buffer.byteLength(mapping) > MAX_MAPPING_BYTES)
    throw new DestinationRefusal(`the mapping is too long: a mapping may have at most ${MAX_MAPPING_BYTES} bytes`);
}
