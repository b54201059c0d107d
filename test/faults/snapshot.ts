import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { readOutboxRecord } from '../../lib/records/feed-record.ts';
import { OUTBOX_PREFIX } from '../../lib/records/outbox.ts';
import type { Item } from '../../lib/storage/port.ts';
import type { World } from './world.ts';

/** Limits above the number and size of a company's items in these tests. */
const ALL = { prefix: '', limit: 1_000, maxBytes: 10_000_000 } as const;

/**
 * Returns everything that the store has of a company after a sweep, as text. It leaves out times, ids, names of
 * payloads and the number of attempts, which may differ between two runs.
 */
export async function snapshotOf(world: World, companyId: string): Promise<string> {
  await world.sweep();
  const own = await world.storage.list(`company/${companyId}`, ALL);
  const events = await world.storage.list(`company/${companyId}/events`, ALL);
  const shared = await world.storage.list('companies', ALL);
  const items = [...own.items, ...events.items, ...shared.items.filter(({ sort }) => sort.endsWith(companyId))].map(
    (item) => {
      const { sort, version, data, expiresAtMs } = item;
      const isOfAttempts = ['request/', 'refresh/', 'deletion/'].some((prefix) => sort.startsWith(prefix));
      return { sort: readable(item), ...(!isOfAttempts && { version }), data, expires: expiresAtMs !== undefined };
    },
  );
  const payloads = (await world.payloads(companyId)).map(({ id, bytes }) => ({ id, text: textIn(bytes) }));
  const pending = await world.pending(companyId);
  return comparable(JSON.stringify({ items, payloads, pending }, undefined, 1), companyId);
}

/** Returns the sort key of an item. The project of an event is shown by its id. */
function readable({ sort, data }: Item): string {
  if (!sort.startsWith(OUTBOX_PREFIX)) return sort;
  const { projectId, sequence } = readOutboxRecord(data).event;
  return `${OUTBOX_PREFIX}${projectId}/${sequence}`;
}

/** Returns a text without the parts that may differ between two runs. */
export function comparable(text: string, companyId: string): string {
  const ids = [...text.matchAll(ID)].map(([id]) => Number(id)).sort((a, b) => a - b);
  // The ids of one project are consecutive. Those of a later moment are much larger.
  const firsts = ids.filter((id, index) => id - (ids[index - 1] ?? 0) > 1_000);
  const name = (id: number) => {
    const project = firsts.findLastIndex((first) => first <= id);
    return `<id ${project}.${id - (firsts[project] ?? 0)}>`;
  };
  return (
    text
      .replaceAll(ID, (id) => name(Number(id)))
      .replaceAll(companyId, '<company>')
      .replaceAll(/payload-\d+/g, '<payload>')
      .replaceAll(/event-\d+/g, '<event>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<moment>')
      .replaceAll(
        /("(?:endsAtMs|leaseEndsAtMs|issuedAtMs|createdAtMs|enteredAtMs|headAtMs|untilMs)": )\d+/g,
        '$1<moment>',
      )
      // The ids and times in a payload decide how well its parts can be compressed.
      .replaceAll(/("offsets": )\[[^\]]*\]/g, '$1<offsets>')
      .replaceAll(/("(?:from|to)": )\d+/g, '$1<offset>')
      // Which failure an attempt ended in may differ: only the state of an operation shows it.
      .replaceAll(/,\s*"failure": "[^"]+"/g, '')
      .replaceAll(/("fingerprint": )"[^"]+"/g, '$1<fingerprint>')
  );
}

/** A pattern for ids. They have 15 digits for many years, and are padded to 16 in keys. */
const ID = /(?<!\d)0?[1-9]\d{14}(?!\d)/g;

function textIn(bytes: Uint8Array): string {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return shortened(isGzip ? gunzipped(Buffer.from(bytes)) : Buffer.from(bytes).toString());
}

/** Returns the text of a payload with gzip. A short layout follows it as JSON, without gzip. */
function gunzipped(bytes: Buffer): string {
  for (let end = bytes.length; end > 0; end = bytes.lastIndexOf('[', end - 1)) {
    try {
      return gunzipSync(bytes.subarray(0, end)).toString() + bytes.subarray(end).toString();
    } catch {
      // The layout begins at an earlier bracket.
    }
  }
  throw new Error('The payload is not gzip');
}

/** Returns a text with a hash in place of each long word. */
function shortened(text: string): string {
  return text.replaceAll(/[A-Za-z0-9+/=]{1000,}/g, (word) => createHash('sha256').update(word).digest('hex'));
}

/** The custom id of the project in these requests. */
export const CUSTOM_ID = 'ours';
