import * as z from 'zod/mini';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { client } from './aws-items.ts';
import { once } from './once.ts';

/** The table of deliveries. */
export const deliveries = once(() => {
  const { SEGUE_DELIVERIES_TABLE } = z.object({ SEGUE_DELIVERIES_TABLE: z.string() }).parse(process.env);
  return dynamoDbItems(SEGUE_DELIVERIES_TABLE, client());
});
