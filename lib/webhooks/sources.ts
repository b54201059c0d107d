import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import type { Scope } from '../contract/routes.ts';
import type { Command } from '../service/command.ts';
import { StoredScheme } from '../signatures/stored-scheme.ts';
import type { Item, ItemReader, Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/** The scopes that a webhook source can have. A source without `scopes` has all of them. */
export const SOURCE_SCOPES = ['create', 'update', 'delete'] as const satisfies readonly Scope[];
export type SourceScope = (typeof SOURCE_SCOPES)[number];

/** Matches the name of a webhook source. The name needs no encoding in a URL path. */
export const SOURCE_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The stored form of a source, without its name, its mapping and its secrets. Segue reads it for each message. */
export const SourceRecord = recordOf(() => ({
  /** A random id. It differs from the id of any later source with the same name. */
  sourceId: z.string(),
  /** The company whose projects the source's messages create, change and delete. */
  companyId: z.string(),
  scopes: z.optional(z.readonly(z.array(z.enum(SOURCE_SCOPES)))),
  scheme: StoredScheme,
  /** The place of a message's id, as `parseMessageId` reads it. Absent if the scheme says what identifies a message. */
  messageId: z.optional(z.string()),
  /** For how many minutes an equal body is the same message. Absent if the scheme says what identifies a message. */
  dedupeMinutes: z.optional(z.int()),
  /** The name under which the source's secrets are stored. When the secrets change, they get a new name. */
  secretsAt: z.string(),
  /** The number of live secrets. */
  liveSecrets: z.int(),
  createdAtUtc: z.string(),
  rotatedAtUtc: z.optional(z.string()),
}));
export type SourceRecord = z.infer<typeof SourceRecord>;

/** The stored form of a fetch: what Segue gets from the content system before it maps a message. */
const FetchRecord = recordOf(() => ({
  /** A JSONata expression with the input of the mapping. Its result is a URL, an array of URLs, or nothing. */
  url: z.string(),
  /** The hosts to which requests are sent, as in URLs: in lower case, and with the port unless it is 443. */
  hosts: z.readonly(z.array(z.string())),
  /** The header that has the secret. */
  header: z.optional(z.string()),
  /** The name under which the secret is stored; absent without a secret. A changed secret gets a new name. */
  secretsAt: z.optional(z.string()),
}));
export type SourceFetch = Readonly<z.infer<typeof FetchRecord>>;

/** The stored form of a mapping. It is not in the source's record, because it can be 100 times larger. */
export const MappingRecord = recordOf(() => ({
  /** A JSONata expression. Its input is `{ headers, body, fetched }`, and its result the commands, if any. */
  mapping: z.string(),
  fetch: z.optional(FetchRecord),
}));
export type MappingRecord = z.infer<typeof MappingRecord>;

/** The stored form of a name in the list of sources. */
export const NameRecord = recordOf(() => ({ companyId: z.string() }));
export type NameRecord = z.infer<typeof NameRecord>;

/** A source without its mapping. Its name is unique in a gateway, because it is part of the URL path. */
export type NamedSource = Readonly<SourceRecord> & { readonly name: string };
/** A webhook source: a sender of messages. */
export type ListedSource = NamedSource & Readonly<z.infer<typeof MappingRecord>>;
/** A source with the mapping of its messages. */
export type Source = Pick<ListedSource, 'name' | 'companyId' | 'mapping' | 'scopes' | 'fetch'>;
/** A source with the scheme that signs its messages. */
export type SignedSource = Pick<
  NamedSource,
  'name' | 'companyId' | 'scheme' | 'messageId' | 'dedupeMinutes' | 'secretsAt'
>;

/** Returns the storage key of a source's record. Each source has a partition of its own, so that none slows down others. */
export function sourceKey(name: string): Key {
  return { partition: `webhook/${name}`, sort: 'source' };
}

/** Returns the storage key of a source's mapping. A later source with the same name has another one. */
export function mappingKey(name: string, { sourceId }: Pick<SourceRecord, 'sourceId'>): Key {
  return { partition: `webhook-mapping/${name}`, sort: sourceId };
}

/** The partition of the names of all sources. The commands that list sources read it. */
export const SOURCE_NAMES = 'webhooks';

/** Returns the storage key of a name in the list of sources. */
export function nameKey(name: string): Key {
  return { partition: SOURCE_NAMES, sort: name };
}

/** Reads the item of a source's record; `undefined` if no source has this name, or the name is invalid. */
export async function readRecord(store: ItemReader, name: string): Promise<Item | undefined> {
  return SOURCE_NAME.test(name) ? store.read(sourceKey(name)) : undefined;
}

/**
 * Reads a source with its mapping; `undefined` if no source has this name.
 * @throws if the mapping of the source is missing
 */
export async function readSource(store: ItemReader, name: string): Promise<ListedSource | undefined> {
  for (let sourceId: string | undefined; ; ) {
    const item = await readRecord(store, name);
    if (!item) return undefined;
    const source = { name, ...SourceRecord.parse(item.data) };
    const stored = await store.read(mappingKey(name, source));
    if (stored) return { ...source, ...MappingRecord.parse(stored.data) };
    // The source was removed between the two reads, and another one may have its name.
    if (source.sourceId === sourceId) throw new RangeError('The store has lost the mapping of a webhook source');
    sourceId = source.sourceId;
  }
}

/** Finds webhook sources by name. */
export interface SourceDirectory {
  /** Finds the source that has this name now; `undefined` if there is none. @throws {Problem} `unavailable` */
  find(name: string): Promise<SignedSource | undefined>;
  /** Finds a source like `find`, with its mapping. @throws {Problem} `unavailable` */
  findWithMapping(name: string): Promise<Source | undefined>;
}

/** Creates a directory of the sources in a store. Each call of `find` with a valid name reads one small item. */
export function sourcesIn(store: ItemReader): SourceDirectory {
  return {
    async find(name) {
      const item = await readRecord(store, name);
      return item && { name, ...SourceRecord.parse(item.data) };
    },
    findWithMapping: (name) => readSource(store, name),
  };
}

/** Returns the scopes of a source. */
export function scopesOf({ scopes = SOURCE_SCOPES }: WithScopes): readonly SourceScope[] {
  return scopes;
}

type WithScopes = { readonly scopes?: readonly SourceScope[] | undefined };

/**
 * Checks that a source has the scopes for all commands of a message. It runs before the first command. What a put needs
 * depends on what it does, so the service checks the rest.
 * @throws {Problem} `scope-missing`
 */
export function requireScopes(source: WithScopes, commands: readonly Command[]): void {
  const scopes = scopesOf(source);
  const missing = commands.map(scopesFor).find((anyOf) => !anyOf.some((scope) => scopes.includes(scope)));
  if (missing === undefined) return;
  throw new Problem('scope-missing', {
    detail: `The webhook source lacks the scope ${missing.join(' or ')}. Segue did nothing.`,
  });
}

/** Returns the scopes of which a command needs at least one. */
function scopesFor(command: Command): readonly SourceScope[] {
  if ('delete' in command) return ['delete'];
  return 'put' in command ? ['create', 'update'] : ['create'];
}

/** The name of the folder for the secrets of webhook sources, in the data folder. On AWS, Secrets Manager has them. */
export const SECRETS_FOLDER = 'webhook-secrets';
/** The name of the folder for the secrets of fetches, in the data folder. On AWS, Secrets Manager has them. */
export const FETCH_SECRETS_FOLDER = 'fetch-secrets';
