import { listItems } from '../../lib/storage/dynamodb/list.ts';
import type { ListedStore } from '../../lib/storage/port.ts';
import { client, items, table } from './aws-items.ts';
import { once } from './once.ts';

/** The table as a ledger: items and lists of them, without payloads. */
export const ledger = once(
  (): ListedStore => ({
    ...items(),
    list: (partition, range) => listItems(table(), client(), partition, range),
  }),
);
