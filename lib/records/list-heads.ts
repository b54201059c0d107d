import { LIMITS } from '../contract/limits.ts';
import type { ProjectPage, ProjectsQuery } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import { fits, isSelective } from '../service/project-filter.ts';
import { nextTurn } from '../service/turn.ts';
import type { Item, ListedStore } from '../storage/port.ts';
import { companyPartition, PROJECT_PREFIX, projectSort } from './keys.ts';

/**
 * The size in bytes at which a page ends: the size limit of a project. A single head with large teams can have
 * megabytes.
 */
const PAGE_BYTES = LIMITS.bodyBytes;

/**
 * The size in bytes at which the items of one page end. DynamoDB charges a read unit for 4 KiB of them, and reads 1 MB at
 * once, with the keys.
 */
const PAGE_ITEM_BYTES = 900_000;

/** How many bytes of heads are parsed and written before other requests run. */
const TURN_BYTES = 262_144;

/** The most heads that are read at once, and their most bytes of JSON. More would take too much memory. */
const READ_AT_ONCE = { heads: 16, bytes: 1_048_576 } as const;

/** The length of a head as JSON, in bytes. */
export interface HeadLength {
  readonly length: number;
  readonly encodedLength: number;
}

/** How a list reads the heads of projects. */
export interface HeadReader {
  /** Whether a project may fit the filter, as far as this is known without its head. */
  mayFit?(item: Item): Promise<boolean>;
  /** Returns the length of a head, in bytes of JSON; infinite if no other head may be read at the same time. */
  sizeOf(item: Item): number;
  /** Returns at least how many bytes a head adds to a list, before and after compression, if the item tells. */
  leastOf?(item: Item): HeadLength | undefined;
  /** Reads a head from the item of a project; `undefined` if the project was deleted meanwhile. Called for several items at once. */
  read(item: Item): Promise<ServiceProject | undefined>;
  /** Adds to a head what has changed since; `undefined` if the project was deleted meanwhile. Called in the order of the list. */
  complete(item: Item, head: ServiceProject): Promise<ServiceProject | undefined>;
}

/** Yields the heads of items, in their order. Reads some of them ahead. */
async function* headsOf(
  items: readonly Item[],
  reader: HeadReader,
): AsyncGenerator<{ readonly item: Item; readonly head: ServiceProject | undefined }> {
  const started: { readonly item: Item; readonly size: number; readonly head: Promise<ServiceProject | undefined> }[] =
    [];
  const waiting = [...items];
  for (;;) {
    for (const item of [...waiting]) {
      const size = reader.sizeOf(item);
      const bytes = started.reduce((sum, each) => sum + each.size, size);
      const isFull = started.length >= READ_AT_ONCE.heads || bytes > READ_AT_ONCE.bytes;
      if (started.length > 0 && isFull) break;
      const head = reader.read(item);
      // The list may end before it waits for this head.
      head.catch(() => {});
      started.push({ item, size, head });
      waiting.shift();
    }
    const [first] = started;
    if (!first) return;
    yield { item: first.item, head: await first.head };
    started.shift();
  }
}

/** How many projects are read for one page, if most of them do not fit the filter. */
const MAX_SCANNED = 1_000;

/**
 * Lists the heads of a company's projects that fit the filter, newest first. If the heads are large, or few of them fit,
 * a page may have fewer projects than its limit.
 */
export async function listHeads(
  storage: ListedStore,
  companyId: string,
  { limit, after, whole, ...filter }: ProjectsQuery,
  reader: HeadReader,
): Promise<ProjectPage> {
  const isFiltered = isSelective(filter);
  const projects: ServiceProject[] = [];
  let bytes = 0;
  let readBytes = 0;
  let turnBytes = 0;
  let scanned = 0;
  const count = () => (isFiltered ? { scanned } : {});
  for (let last = after; ; ) {
    const { items, more } = await storage.list(companyPartition(companyId), {
      prefix: PROJECT_PREFIX,
      before: last === undefined ? undefined : projectSort(last),
      limit: isFiltered ? LIMITS.listMax : limit,
      maxBytes: PAGE_ITEM_BYTES,
    });
    const excluded = isFiltered ? await excludedBy(reader, items) : new Set<Item>();
    const kept = items.filter((item) => !excluded.has(item));
    if (whole && exceeds(kept, reader, whole)) return { projects: [], isTooLarge: true };
    const readSome: HeadReader = {
      ...reader,
      sizeOf: (item) => (excluded.has(item) ? 0 : reader.sizeOf(item)),
      read: async (item) => (excluded.has(item) ? undefined : reader.read(item)),
    };
    for await (const { item, head: read } of headsOf(items, readSome)) {
      last = idIn(item);
      scanned += 1;
      const size = readSome.sizeOf(item);
      if (Number.isFinite(size)) readBytes += size;
      turnBytes += size;
      if (turnBytes >= TURN_BYTES) {
        turnBytes = 0;
        await nextTurn();
      }
      const head = read && (await reader.complete(item, read));
      if (head && fits(head, filter)) {
        bytes += Buffer.byteLength(JSON.stringify(head));
        projects.push(head);
      }
      const isMuch = isFiltered && (readBytes >= PAGE_BYTES || scanned >= MAX_SCANNED);
      const isFull = projects.length >= limit || bytes >= PAGE_BYTES || isMuch;
      const hasNext = more || item !== items.at(-1);
      if (isFull && hasNext) return { projects, ...count(), next: last };
    }
    if (!more || !isFiltered) return { projects, ...count(), ...(more && last !== undefined && { next: last }) };
  }
}

/** Returns the items of projects that do not fit the filter. Other requests run first. */
async function excludedBy({ mayFit }: HeadReader, items: readonly Item[]): Promise<ReadonlySet<Item>> {
  await nextTurn();
  const excluded = new Set<Item>();
  for (const item of items) if (mayFit && !(await mayFit(item))) excluded.add(item);
  return excluded;
}

/** Whether heads exceed the limits of a whole list, as far as this is known before they are read. */
function exceeds(
  items: readonly Item[],
  { leastOf }: HeadReader,
  { maxBytes, maxEncodedBytes }: NonNullable<ProjectsQuery['whole']>,
): boolean {
  const least = items.flatMap((item) => leastOf?.(item) ?? []);
  const bytes = least.reduce((sum, { length }) => sum + length, 0);
  const encodedBytes = least.reduce((sum, { encodedLength }) => sum + encodedLength, 0);
  return bytes > maxBytes || encodedBytes > maxEncodedBytes;
}

function idIn({ sort }: Item): number {
  return Number(sort.slice(PROJECT_PREFIX.length));
}
