import * as z from 'zod/mini';
import type { ItemReader } from '../storage/port.ts';
import type { Source } from './source.ts';

const SourceRecord = z.looseObject({ companyId: z.string(), mapping: z.string() });

/** Finds sources by their names, as they are now: one that was removed a moment ago is not there. */
export interface SourceDirectory {
  /** @throws {Problem} `unavailable` */
  find(name: string): Promise<Source | undefined>;
}

/** The sources in a store. */
export function sourcesIn(store: ItemReader): SourceDirectory {
  return {
    async find(name) {
      const item = await store.read({ partition: 'webhooks', sort: `source/${name}` });
      return item && { name, ...SourceRecord.parse(item.data) };
    },
  };
}
