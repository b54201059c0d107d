import * as z from 'zod/mini';
import { utc } from '../contract/date.ts';
import { companyPartition } from '../records/keys.ts';
import { newStandardSecret } from '../signatures/sign-standard.ts';
import type { ItemReader, ItemStore, Key, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { commitSecrets, MAX_LIVE_SECRETS, type ReadLiveSecrets, readSecrets } from './live-secrets.ts';
import type { SecretStore } from './secret-store.ts';

/** The record of a company's event secrets. It names the secrets, and does not contain them. */
const EventSecretRecord = recordOf(() => ({
  secretsAt: z.string(),
  /** The number of live secrets. */
  liveSecrets: z.int(),
  createdAtUtc: z.string(),
  rotatedAtUtc: z.optional(z.string()),
}));
type EventSecretRecord = z.infer<typeof EventSecretRecord>;

/** The name of the folder for event secrets, in the data folder. On AWS, Secrets Manager has them. */
export const EVENT_SECRETS_FOLDER = 'event-secrets';

function recordKey(companyId: string): Key {
  return { partition: companyPartition(companyId), sort: 'event-secret' };
}

/**
 * Creates the reader of the secrets that sign a company's events. Each call reads the company's record, so a new secret
 * signs the next event. A company without a secret has none.
 */
export function eventSecretsReader(store: ItemReader, read: ReadLiveSecrets) {
  return async (companyId: string): Promise<readonly string[]> => {
    const item = await store.read(recordKey(companyId));
    return item ? read(EventSecretRecord.parse(item.data)) : [];
  };
}

/** A new event secret, and how many secrets of the company are live now. */
export interface NewEventSecret {
  readonly secret: string;
  readonly liveSecrets: number;
}

/** Makes and shows the secrets that sign the events of companies. */
export type EventSecrets = ReturnType<typeof eventSecretsIn>;

/** The dependencies of `eventSecretsIn`. */
export interface EventSecretsDeps {
  readonly store: ItemStore;
  readonly secretStore: SecretStore;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Opens the event secrets. Secrets are stored first, and take effect when the company's record names them, so a change
 * that does not finish changes nothing. Every method may fail with the problem `unavailable` or `outcome-unknown`.
 */
export function eventSecretsIn({ store, secretStore, now }: EventSecretsDeps) {
  async function find(companyId: string) {
    const item = await store.read(recordKey(companyId));
    return item && { record: EventSecretRecord.parse(item.data), version: item.version };
  }

  /** Reads the live secrets that a record names. @returns `undefined` if the record has changed meanwhile */
  async function liveOf(companyId: string, { record, version }: NonNullable<Awaited<ReturnType<typeof find>>>) {
    try {
      return readSecrets(await secretStore.read(record.secretsAt));
    } catch (error) {
      if ((await find(companyId))?.version !== version) return undefined;
      throw error;
    }
  }

  /**
   * Changes the secrets of a company. It repeats the attempt while concurrent changes interfere.
   * @param next returns the new secrets; the same array changes nothing
   */
  async function change(companyId: string, next: (live: readonly string[]) => readonly string[]) {
    for (;;) {
      const found = await find(companyId);
      const live = found ? await liveOf(companyId, found) : [];
      if (!live) continue;
      const secrets = next(live);
      if (secrets === live) return secrets;
      const changed = { liveSecrets: secrets.length };
      const writeOf = (secretsAt: string): Write => {
        const created: EventSecretRecord = { secretsAt, ...changed, createdAtUtc: utc(now()) };
        if (!found) return { kind: 'insert', key: recordKey(companyId), data: created };
        const data: EventSecretRecord = { ...found.record, secretsAt, ...changed, rotatedAtUtc: utc(now()) };
        return { kind: 'replace', key: recordKey(companyId), version: found.version, data };
      };
      const currentName = async () => (await find(companyId))?.record.secretsAt;
      const writesOf = (secretsAt: string) => [writeOf(secretsAt)];
      const isDone = await commitSecrets({ store, secretStore }, { prefix: companyId, secrets, writesOf, currentName });
      if (isDone && found) await secretStore.delete(found.record.secretsAt);
      if (isDone) return secrets;
    }
  }

  const newest = (secrets: readonly string[]): NewEventSecret => {
    const [secret] = secrets;
    if (secret === undefined) throw new RangeError('A company lost its event secrets');
    return { secret, liveSecrets: secrets.length };
  };

  return {
    /** Returns the newest event secret of a company, and makes the first one if there is none. */
    current: async (companyId: string): Promise<NewEventSecret> =>
      newest(await change(companyId, (live) => (live.length > 0 ? live : [newStandardSecret()]))),

    /** Makes the next event secret of a company. Of the older secrets, only the newest stays live. */
    rotate: async (companyId: string): Promise<NewEventSecret> =>
      newest(await change(companyId, (live) => [newStandardSecret(), ...live].slice(0, MAX_LIVE_SECRETS))),

    /** Removes all secrets of a company except the newest. @returns whether a secret was removed */
    async dropOld(companyId: string): Promise<boolean> {
      let hasOld = false;
      await change(companyId, (live) => {
        hasOld = live.length > 1;
        return hasOld ? live.slice(0, 1) : live;
      });
      return hasOld;
    },
  };
}
