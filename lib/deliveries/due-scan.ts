import { nextTurn } from '../service/turn.ts';
import type { ListedStore } from '../storage/port.ts';
import type { Due, DueList, OfCompany } from './due-list.ts';

/** Lists the due entries of a list, some of each company at a time. */
export interface DueScan<Ref extends OfCompany> {
  /**
   * Lists due entries. If there are many, the next call goes on behind them, and later begins again.
   * @param isStarted whether the entry with a sort key is left out
   * @returns no entries only if none is due
   */
  next(nowMs: number, isStarted: (sort: string) => boolean): Promise<Due<Ref>[]>;
}

/** The entries on one page. DynamoDB reads them for one or two units. */
const PAGE = { limit: 50, maxBytes: 1_000_000 } as const;
/** At how many companies with more than a page of entries one call looks in each partition. */
const MAX_COMPANIES = 8;

/** A scan of one partition. */
interface PartitionScan {
  /** The sort key behind which the companies are at which the next call looks; absent to begin with the first one. */
  before?: string | undefined;
  /** For companies with more due entries than were read: the sort key behind which the next call looks at them. */
  readonly behind: Map<string, string>;
  /** The companies with more than a page of entries, of those that were seen since the first one. */
  readonly seen: Set<string>;
}

/** What one call has read of a partition. */
interface Look {
  /** Whether the call has begun with the first company. */
  isWhole: boolean;
  /** The companies of which the call reads all entries, because it has begun with the first ones. */
  readonly begun: Set<string>;
  /** Those of them of which it has read all. */
  readonly ended: Set<string>;
}

/**
 * Creates a scan of a list. Of a company with more than a page of entries in a partition, a call reads only those that are due first,
 * and one page further back, which moves on from call to call. So no company hides others, and no group hides those of
 * its company, however many entries it has, and a call costs no more with them.
 */
export function dueScan<Ref extends OfCompany>(list: DueList<Ref>, store: ListedStore): DueScan<Ref> {
  const scans = new Map(
    list.partitions().map((partition): [string, PartitionScan] => [partition, { behind: new Map(), seen: new Set() }]),
  );

  async function readPage(partition: string, prefix: string, before?: string) {
    const { items, more } = await store.list(partition, { prefix, before, ...PAGE });
    const listed = items.flatMap((key) => {
      const entry = list.entryAt(key);
      return entry ? [{ sort: key.sort, entry }] : [];
    });
    return { listed, last: listed.at(-1), more };
  }
  type Listed = Awaited<ReturnType<typeof readPage>>['listed'];

  /** Reads on in the entries of a company, whose first ones were read up to `last`. */
  async function readBehind(
    partition: string,
    { behind }: PartitionScan,
    { begun, ended }: Look,
    last: Listed[number],
    nowMs: number,
  ): Promise<Listed> {
    const companyId = last.entry.companyId;
    if (ended.has(companyId)) return [];
    const prefix = list.prefixOf(companyId);
    if (!behind.has(companyId)) begun.add(companyId);
    const from = behind.get(companyId) ?? (last.entry.dueMs <= nowMs ? last.sort : undefined);
    behind.delete(companyId);
    const page = from === undefined ? undefined : await readPage(partition, prefix, from);
    if (page?.more && page.last && page.last.entry.dueMs <= nowMs) behind.set(companyId, page.last.sort);
    else if (begun.has(companyId)) ended.add(companyId);
    if (page && !page.more) return page.listed;
    // Then come entries that are not due, of which only those at the end can be wrong.
    const tooLate = await readPage(partition, prefix, list.tooLate(companyId, nowMs));
    return [...(page?.listed ?? []), ...tooLate.listed];
  }

  /** Reads the next entries of a partition. @returns whether the call has read all entries */
  async function readSome(
    partition: string,
    scan: PartitionScan,
    look: Look,
    nowMs: number,
    take: (listed: Listed) => void,
  ) {
    if (scan.before === undefined) look.isWhole = true;
    for (let companies = 0; companies < MAX_COMPANIES; companies++) {
      const { listed, last, more } = await readPage(partition, '', scan.before);
      take(listed);
      if (!more || !last) {
        for (const companyId of scan.behind.keys()) if (!scan.seen.has(companyId)) scan.behind.delete(companyId);
        const isEnd = look.isWhole && [...scan.seen].every((companyId) => look.ended.has(companyId));
        scan.seen.clear();
        scan.before = undefined;
        return isEnd;
      }
      take(await readBehind(partition, scan, look, last, nowMs));
      scan.seen.add(last.entry.companyId);
      scan.before = list.prefixOf(last.entry.companyId);
      await nextTurn();
    }
    return false;
  }

  return {
    async next(nowMs, isStarted) {
      const found = new Map<string, Due<Ref>>();
      const take = (listed: Listed) => {
        for (const { sort, entry } of listed) {
          if (list.isDue(entry.dueMs, nowMs) && !isStarted(sort)) found.set(sort, entry);
        }
      };
      let open = Array.from(scans, ([partition, scan]) => ({
        partition,
        scan,
        look: { isWhole: false, begun: new Set<string>(), ended: new Set<string>() },
      }));
      while (found.size === 0 && open.length > 0) {
        const ends = open.map(({ partition, scan, look }) => readSome(partition, scan, look, nowMs, take));
        const isDone = await Promise.all(ends);
        open = open.filter((_, index) => !isDone[index]);
      }
      return [...found.values()].sort((one, other) => one.dueMs - other.dueMs);
    },
  };
}
