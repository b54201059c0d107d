import { randomUUID } from 'node:crypto';
import type { ResultReads } from '../../lib/destinations/input.ts';
import { readProjectNames } from '../../lib/hosted/project-names.ts';
import { hostedReads } from '../../lib/hosted/service.ts';
import type { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { objectsIn, s3Client } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';

/** The stores of the projects of a stack. */
interface StackStores {
  readonly table: string;
  readonly credentialsTable: string;
  readonly bucket: string;
  readonly client: ReturnType<typeof dynamoDbClient>;
}

/** Opens the reading of the projects of a stack for a preview of results. */
export function resultReadsOnStack({ bucket, ...stores }: StackStores): ResultReads {
  const objects = objectsIn(bucket, s3Client());
  const storage = dynamoDbStorage({ ...stores, objects, now: Date.now, newId: randomUUID });
  const { segments } = hostedReads({ storage, now: Date.now, random: Math.random, newEventId: randomUUID });
  return { segments, project: (companyId, id) => readProjectNames(storage, companyId, id) };
}
