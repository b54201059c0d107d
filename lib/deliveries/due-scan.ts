import { remember } from '../service/recent.ts';
import { nextTurn } from '../service/turn.ts';
import type { ListedStore } from '../storage/port.ts';
import type { Due, DueList, OfCompany } from './due-list.ts';

/** Lists the due entries of a list, some of each company at a time. */
export interface DueScan<Ref> {
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
  readonly partition: string;
  /** The sort key behind which the companies are at which the next call looks; absent to begin with the first one. */
  before?: string | undefined;
  /** For companies with more due entries than were read: the sort key behind which the next call looks at them. */
  readonly behind: Map<string, string>;
}

/**
 * Creates a scan of a list. Of a company with more than a page of entries in a partition, a call reads only those that are due first,
 * and one page further back, which moves on from call to call. So no company hides others, and no group hides those of
 * its company, however many entries it has, and a call costs no more with them. A call that finds nothing in this way reads on until it does.
 */
export function dueScan<Ref extends OfCompany>(list: DueList<Ref>, store: ListedStore): DueScan<Ref> {
  const scans = list.partitions().map((partition): PartitionScan => ({ partition, behind: new Map() }));

  return {
    async next(nowMs, isStarted) {
      const found = new Map<string, Due<Ref>>();

      /** Reads a page, and takes the due entries in it. @returns the last entry, and whether more entries follow it */
      async function takePage(partition: string, prefix: string, before?: string) {
        const { items, more } = await store.list(partition, { prefix, before, ...PAGE });
        let last: { readonly sort: string; readonly entry: Due<Ref> } | undefined;
        for (const key of items) {
          const entry = list.entryAt(key);
          if (!entry) continue;
          last = { sort: key.sort, entry };
          if (list.isDue(entry.dueMs, nowMs) && !isStarted(key.sort)) found.set(key.sort, entry);
        }
        return more ? last : undefined;
      }

      /**
       * Reads on in the entries of a company: a page, or from the first one on until something is found.
       * @param first the last one of the first page
       * @returns whether all have been read
       */
      async function readBehind(
        { partition, behind }: PartitionScan,
        first: string,
        companyId: string,
        isAll: boolean,
      ) {
        const prefix = list.prefixOf(companyId);
        const isNext = (sort: string | undefined): sort is string =>
          sort !== undefined && (list.entryAt({ partition, sort })?.dueMs ?? 0) <= nowMs;
        const start = isAll ? first : (behind.get(companyId) ?? first);
        behind.delete(companyId);
        let sort: string | undefined = start;
        do {
          if (!isNext(sort)) break;
          sort = (await takePage(partition, prefix, sort))?.sort;
          await nextTurn();
        } while (isAll && found.size === 0);
        if (isNext(sort)) remember(behind, companyId, sort);
        // Then come entries that are not due, of which only those at the end can be wrong.
        if (sort !== undefined) await takePage(partition, prefix, list.tooLate(companyId, nowMs));
        return start === first && !isNext(sort);
      }

      /** Reads the next entries of a partition, or from the first one on until something is found. @returns whether all have been read */
      async function read(scan: PartitionScan, isAll: boolean): Promise<boolean> {
        if (isAll) scan.before = undefined;
        let isWhole = scan.before === undefined;
        for (let companies = 0; isAll ? found.size === 0 : companies < MAX_COMPANIES; companies++) {
          const last = await takePage(scan.partition, '', scan.before);
          scan.before = undefined;
          if (!last) return isWhole;
          const { companyId } = last.entry;
          isWhole = (await readBehind(scan, last.sort, companyId, isAll)) && isWhole;
          scan.before = list.prefixOf(companyId);
        }
        return false;
      }

      const isWhole = await Promise.all(scans.map((scan) => read(scan, false)));
      const left = scans.filter((_, index) => !isWhole[index]);
      if (found.size === 0) await Promise.all(left.map((scan) => read(scan, true)));
      return [...found.values()].sort((one, other) => one.dueMs - other.dueMs);
    },
  };
}
