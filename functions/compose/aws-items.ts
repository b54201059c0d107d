import * as z from 'zod/mini';
import { endpointOf } from '#aws-endpoint';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { once } from './once.ts';

/** The table's client, one for all that a function does with it. */
export const client = once(() => dynamoDbClient({ endpointOf, now: Date.now }));
export const table = once(() => z.object({ SEGUE_TABLE: z.string() }).parse(process.env).SEGUE_TABLE);

/** The table, without payloads. */
export const items = once(() => dynamoDbItems(table(), client()));
