import * as z from 'zod/mini';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { listItems } from '../../lib/storage/dynamodb/list.ts';
import type { ListedStore } from '../../lib/storage/port.ts';
import { client } from './aws-items.ts';
import { once } from './once.ts';

/** The table of what webhooks brought. */
export const deliveries = once((): ListedStore => {
  const { SEGUE_DELIVERIES_TABLE: table } = z.object({ SEGUE_DELIVERIES_TABLE: z.string() }).parse(process.env);
  return {
    ...dynamoDbItems(table, client()),
    list: (partition, range) => listItems(table, client(), partition, range),
  };
});
