import * as z from 'zod/mini';
import type { Sweep } from '../../lib/background/sweeper.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { sweep as sweepAll, sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';

/** What removes the objects that no project has any more. */
export function sweep(): Sweep {
  const { SEGUE_TABLE, SEGUE_BUCKET } = z
    .object({ SEGUE_TABLE: z.string(), SEGUE_BUCKET: z.string() })
    .parse(process.env);
  const objects = objectsIn(SEGUE_BUCKET, s3Client());
  const options = { table: SEGUE_TABLE, client: dynamoDbClient({ now: Date.now }), objects, now: Date.now };
  return { all: (isTimeLeft) => sweepAll(options, isTimeLeft), one: (object) => sweepObject(options, object) };
}
