import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item } from '../../lib/storage/port.ts';
import { SqliteStorage } from '../../lib/storage/sqlite/storage.ts';
import { ADDED, LOST_FIELDS } from './added-field.ts';

/**
 * Preloaded into `npm start`, this makes each record that is read look as if a newer release had written it: with fields
 * that this release does not know. It notes each record that is then replaced without these fields.
 */

/** Fields whose objects are maps, or content of a project: a newer release adds no field to these objects. */
const NO_RECORDS = new Set(['head', 'digests', 'versions', 'problems', 'headers', 'result', 'intent']);

function withField(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withField);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, NO_RECORDS.has(name) ? field : withField(field)]);
  return { ...Object.fromEntries(entries), [ADDED]: 1 };
}

/** An attempt at a request replaces its own claim without reading it. */
const OWN_CLAIM = /^(custom-id|request|refresh)\//;

const readAt = new Map<string, number>();

function asNewer(item: Item): Item {
  readAt.set(`${item.partition} ${item.sort}`, item.version);
  return { ...item, data: withField(item.data) };
}

const { read, readWithPayload, list, commit } = SqliteStorage.prototype;
Object.assign(SqliteStorage.prototype, {
  async read(this: SqliteStorage, ...args: Parameters<typeof read>) {
    const item = await read.apply(this, args);
    return item && asNewer(item);
  },
  async readWithPayload(this: SqliteStorage, ...args: Parameters<typeof readWithPayload>) {
    const found = await readWithPayload.apply(this, args);
    return found && { ...found, item: asNewer(found.item) };
  },
  async list(this: SqliteStorage, ...args: Parameters<typeof list>) {
    const page = await list.apply(this, args);
    return { ...page, items: page.items.map(asNewer) };
  },
  commit(this: SqliteStorage, ...args: Parameters<typeof commit>) {
    for (const write of args[0].writes) {
      if (write.kind !== 'replace') continue;
      const { partition, sort } = write.key;
      const isOwn = OWN_CLAIM.test(sort) && write.version === 1;
      const wasRead = !isOwn && readAt.get(`${partition} ${sort}`) === write.version;
      const isKept = typeof write.data === 'object' && write.data !== null && ADDED in write.data;
      if (wasRead && !isKept) appendFileSync(join(process.env['SEGUE_DATA_DIR'] ?? '', LOST_FIELDS), `${sort}\n`);
    }
    return commit.apply(this, args);
  },
});
