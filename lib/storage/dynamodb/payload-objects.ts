import * as z from 'zod/mini';
import type { JsonClient } from '../../aws/json-client.ts';
import type { Key } from '../port.ts';
import { IN_TABLE } from './payload.ts';
import { retryRead } from './retries.ts';

/** An item whose payload is in the bucket. */
export interface ObjectOwner extends Key {
  /** The name of the object. */
  readonly object: string;
}

const Text = z.object({ S: z.string() });
const Scanned = z.object({
  Items: z.array(z.object({ partition: Text, sort: Text, payload: Text })),
  LastEvaluatedKey: z.optional(z.record(z.string(), z.unknown())),
});

/** How many parts of the table are read at the same time. */
const SEGMENTS = 8;

/** Reads the whole table, and returns the items whose payloads are in the bucket. */
export async function objectOwners(call: JsonClient, table: string): Promise<ObjectOwner[]> {
  const parts = Array.from({ length: SEGMENTS }, (_, segment) => ownersInSegment(call, table, segment));
  return (await Promise.all(parts)).flat();
}

async function ownersInSegment(call: JsonClient, table: string, Segment: number): Promise<ObjectOwner[]> {
  const owners: ObjectOwner[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const request = {
      TableName: table,
      Segment,
      TotalSegments: SEGMENTS,
      ConsistentRead: true,
      ProjectionExpression: '#partition, #sort, #payload',
      FilterExpression: 'attribute_exists(#payload) AND #payload <> :table',
      ExpressionAttributeNames: { '#partition': 'partition', '#sort': 'sort', '#payload': 'payload' },
      ExpressionAttributeValues: { ':table': { S: IN_TABLE } },
      ...(start && { ExclusiveStartKey: start }),
    };
    const page = await retryRead({}, async () => Scanned.parse(await call('Scan', request)));
    for (const { partition, sort, payload } of page.Items) {
      owners.push({ partition: partition.S, sort: sort.S, object: payload.S });
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return owners;
}
