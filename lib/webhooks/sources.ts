import * as z from 'zod/mini';
import type { Item, ItemReader, Key } from '../storage/port.ts';
import { SchemeSettings } from './schemes/settings.ts';
import { SOURCE_SCOPES } from './scopes.ts';
import type { SignedSource } from './source.ts';

/** What a source can be called: a word that stands in a path as it is. */
export const SOURCE_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** What is kept of a source in the table: everything but its secrets. */
export const SourceRecord = z.strictObject({
  /** Which source it is. Its name may be given to another one once it is removed. */
  sourceId: z.string(),
  companyId: z.string(),
  mapping: z.string(),
  scopes: z.optional(z.array(z.enum(SOURCE_SCOPES))),
  scheme: SchemeSettings,
  secretsAt: z.string(),
  /** How many secrets are live there. */
  liveSecrets: z.int(),
  createdAtUtc: z.string(),
  rotatedAtUtc: z.optional(z.string()),
});
export type SourceRecord = z.infer<typeof SourceRecord>;

/** One partition holds all of them, because that is what is listed. */
export const SOURCES = 'webhooks';
export const SOURCE = 'source/';

/** Where a source is in the table. */
export function sourceKey(name: string): Key {
  return { partition: SOURCES, sort: SOURCE + name };
}

/** What is listed of a source. */
export type ListedSource = SignedSource & Omit<SourceRecord, 'secretsAt'>;

/** The source that an item is. */
export function sourceOf({ sort, data }: Pick<Item, 'sort' | 'data'>): ListedSource {
  return { name: sort.slice(SOURCE.length), ...SourceRecord.parse(data) };
}

/** Finds sources by their names, as they are now: one that was removed a moment ago is not there. */
export interface SourceDirectory {
  /** @throws {Problem} `unavailable` */
  find(name: string): Promise<SignedSource | undefined>;
}

/** The sources in a store: one read each, and none for what cannot be a name. */
export function sourcesIn(store: ItemReader): SourceDirectory {
  return {
    async find(name) {
      const item = SOURCE_NAME.test(name) ? await store.read(sourceKey(name)) : undefined;
      return item && sourceOf(item);
    },
  };
}
