import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import type { Scope } from '../contract/routes.ts';
import type { Command } from '../service/command.ts';
import type { Item, ItemReader, Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { StoredScheme } from './signature-schemes/schemes.ts';

/** The scopes that a webhook source can have. A source without `scopes` has all of them. */
export const SOURCE_SCOPES = ['create', 'delete'] as const satisfies readonly Scope[];
export type SourceScope = (typeof SOURCE_SCOPES)[number];

/** Matches the name of a webhook source. The name needs no encoding in a URL path. */
export const SOURCE_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The stored form of a source, without its name and its secrets. */
export const SourceRecord = recordOf({
  /** A random id. It differs from the id of any later source with the same name. */
  sourceId: z.string(),
  /** The company whose projects the source's messages create and delete. */
  companyId: z.string(),
  /** A JSONata expression. Its input is `{ headers, body }` of a message, and its result the commands, if any. */
  mapping: z.string(),
  scopes: z.optional(z.readonly(z.array(z.enum(SOURCE_SCOPES)))),
  scheme: StoredScheme,
  /** The name under which the source's secrets are stored. When the secrets change, they get a new name. */
  secretsAt: z.string(),
  /** The number of live secrets. */
  liveSecrets: z.int(),
  createdAtUtc: z.string(),
  rotatedAtUtc: z.optional(z.string()),
});
export type SourceRecord = z.infer<typeof SourceRecord>;

/** A webhook source: a sender of messages. Its name is unique in a gateway, because it is part of the URL path. */
export type ListedSource = Readonly<SourceRecord> & { readonly name: string };
/** A source with the mapping of its messages. */
export type Source = Pick<ListedSource, 'name' | 'companyId' | 'mapping' | 'scopes'>;
/** A source with the scheme that signs its messages. */
export type SignedSource = Source & Pick<ListedSource, 'scheme' | 'secretsAt'>;

/** The partition of the records of all sources. The sources share a partition, so that they can be listed. */
export const SOURCES = 'webhooks';
/** The prefix of the sort key of a source's record. */
export const SOURCE = 'source/';

/** Returns the storage key of a source's record. */
export function sourceKey(name: string): Key {
  return { partition: SOURCES, sort: SOURCE + name };
}

/** Parses the stored item of a source. */
export function sourceOf({ sort, data }: Pick<Item, 'sort' | 'data'>): ListedSource {
  return { name: sort.slice(SOURCE.length), ...SourceRecord.parse(data) };
}

/** Finds webhook sources by name. */
export interface SourceDirectory {
  /** Finds the source that has this name now; `undefined` if there is none. @throws {Problem} `unavailable` */
  find(name: string): Promise<SignedSource | undefined>;
}

/** Creates a directory of the sources in a store. Each call with a valid name reads the store once. */
export function sourcesIn(store: ItemReader): SourceDirectory {
  return {
    async find(name) {
      const item = SOURCE_NAME.test(name) ? await store.read(sourceKey(name)) : undefined;
      return item && sourceOf(item);
    },
  };
}

/**
 * Checks that a source has the scopes for all commands of a message. It runs before the first command.
 * @throws {Problem} `scope-missing`
 */
export function requireScopes(
  { scopes = SOURCE_SCOPES }: { readonly scopes?: readonly SourceScope[] | undefined },
  commands: readonly Command[],
): void {
  const needed = commands.map((command): SourceScope => ('delete' in command ? 'delete' : 'create'));
  const missing = needed.find((scope) => !scopes.includes(scope));
  if (missing === undefined) return;
  throw new Problem('scope-missing', {
    detail: `The webhook source lacks the scope ${missing}. Segue did nothing.`,
  });
}

/** The name of the folder for the secrets of webhook sources, in the data folder. On AWS, Secrets Manager has them. */
export const SECRETS_FOLDER = 'webhook-secrets';
