import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { ListObjectVersionsCommand, type ListObjectVersionsOutput, type S3Client } from '@aws-sdk/client-s3';
import type { DynamoDb } from '../../lib/storage/dynamodb/client.ts';
import { readAttributes } from '../../lib/storage/dynamodb/items.ts';
import { objectsIn } from '../../lib/storage/dynamodb/objects.ts';
import { bytesOf, payloadKey, storedPayload } from '../../lib/storage/dynamodb/payload.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { markerKey, SECOND_LOOK_MS, SECOND_LOOKS, SWEEP_MARKERS } from '../../lib/storage/dynamodb/sweep-markers.ts';
import { sweep } from '../../lib/storage/dynamodb/sweeper.ts';
import type { Storage } from '../../lib/storage/port.ts';
import type { Shards } from '../../lib/storage/shards.ts';
import { DynamoDbStandIn } from '../support/aws/dynamodb.ts';
import { S3StandIn } from '../support/aws/s3.ts';
import { straight, type Through } from './faulty.ts';
import { type Payload, type Process, World } from './world.ts';

/** A table and a bucket, and new clients of both for each process. */
export interface Aws {
  readonly table: string;
  readonly bucket: string;
  readonly dynamoDb: () => DynamoDb;
  /** Returns a client for calls that the store does not make. */
  readonly sdk: () => DynamoDBClient;
  readonly s3: () => S3Client;
}

/** A time that is longer than a marker waits for its transaction, in milliseconds. */
const LATER_MS = 20 * 60_000;
/** Limits above the number and size of a company's items in these tests. */
const ALL = { prefix: '', limit: 1_000, maxBytes: 10_000_000 } as const;

/** A world whose store is DynamoDB and S3. Each call to AWS may fail on its own. */
export class AwsWorld extends World {
  readonly storage: Storage;
  readonly failure = () => Object.assign(new Error('A planted fault'), { code: 'ECONNRESET' });
  readonly #aws: Aws;
  readonly #dynamoDb: DynamoDb;
  readonly #sdk: DynamoDBClient;
  readonly #s3: S3Client;
  #ids = 0;

  constructor(aws: Aws) {
    super();
    this.#aws = aws;
    this.#dynamoDb = aws.dynamoDb();
    this.#sdk = aws.sdk();
    this.#s3 = aws.s3();
    this.storage = this.process(straight).storage;
  }

  process(through: Through): Process {
    const { table, bucket } = this.#aws;
    const isStraight = through === straight;
    const dynamoDb = isStraight ? this.#dynamoDb : this.#aws.dynamoDb();
    const client: DynamoDb = { call: (...call) => through(() => dynamoDb.call(...call)) };
    const s3 = isStraight ? this.#s3 : this.#aws.s3();
    if (!isStraight) {
      s3.middlewareStack.add((next) => (args) => through(() => next(args)), { step: 'initialize' });
    }
    const objects = objectsIn(bucket, s3);
    const options = { table, client, objects, now: this.now };
    const storage = dynamoDbStorage({ ...options, newId: () => `payload-${++this.#ids}` });
    return { storage, service: this.service(storage), sweep: async () => (await sweep(options, () => true)).left };
  }

  async sweep(): Promise<void> {
    const { table, bucket } = this.#aws;
    const objects = objectsIn(bucket, this.#s3);
    for (const laterMs of [LATER_MS, LATER_MS + SECOND_LOOK_MS]) {
      const now = () => this.nowMs + laterMs;
      await sweep({ table, client: this.#dynamoDb, objects, now }, () => true);
    }
  }

  /** Returns every payload inside an item and in the table, and every object that no payload names. */
  async payloads(companyId: string): Promise<Payload[]> {
    const objects = new Set(await this.#objects(companyId));
    const { items } = await this.storage.list(itemsOf(companyId).partition, ALL);
    const found: Payload[] = items.flatMap(({ sort, bytes }) => (bytes ? [{ id: sort, bytes }] : []));
    const TableName = this.#aws.table;
    for await (const { Items = [] } of paginateScan(
      { client: this.#sdk },
      {
        TableName,
        FilterExpression: 'begins_with(#partition, :company)',
        ExpressionAttributeNames: { '#partition': 'partition' },
        // Each payload has a partition of its own. Its name begins like the partition of any item of the company.
        ExpressionAttributeValues: { ':company': { S: payloadKey({ ...itemsOf(companyId), sort: '' }).partition } },
        ConsistentRead: true,
      },
    )) {
      for (const item of Items) {
        const key = { partition: String(item['partition']?.S), sort: String(item['sort']?.S) };
        const stored = storedPayload(await readAttributes(TableName, this.#dynamoDb, key));
        const bytes = await bytesOf(stored, objectsIn(this.#aws.bucket, this.#s3));
        found.push({ id: key.sort, bytes: bytes ?? Buffer.from('lost') });
        if (stored.object) objects.delete(stored.object.S);
      }
    }
    return [...found, ...[...objects].map((id) => ({ id, bytes: Buffer.from('orphan') }))];
  }

  async pending(companyId: string): Promise<string[]> {
    const listed = async ({ partitions }: Shards, prefix: string) =>
      (await Promise.all(partitions.map((partition) => this.storage.list(partition, { ...ALL, prefix })))).flatMap(
        ({ items }) => items,
      );
    const markers = await listed(SWEEP_MARKERS, markerKey(itemsOf(companyId).partition).sort);
    const looks = await listed(SECOND_LOOKS, '');
    return [...markers, ...looks.filter(({ sort }) => sort.includes(`/company/${companyId}/`))].map(({ sort }) => sort);
  }

  close(): void {
    this.#sdk.destroy();
    this.#s3.destroy();
  }

  async #objects(companyId: string): Promise<string[]> {
    const where = { Bucket: this.#aws.bucket, Prefix: `${itemsOf(companyId).partition}/` };
    const names: string[] = [];
    let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
    while (from) {
      const page: ListObjectVersionsOutput = await this.#s3.send(new ListObjectVersionsCommand({ ...where, ...from }));
      names.push(...(page.Versions ?? []).map(({ Key = '' }) => Key));
      from = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
        : undefined;
    }
    return names;
  }
}

function itemsOf(companyId: string): { readonly partition: string } {
  return { partition: `company/${companyId}` };
}

/** Returns AWS in memory, for tests without a network. */
export function awsInMemory(): Aws {
  const [dynamoDb, s3] = [new DynamoDbStandIn(), new S3StandIn()];
  return {
    table: dynamoDb.tableName,
    bucket: s3.bucket,
    dynamoDb: () => dynamoDb.newClient(),
    sdk: () => dynamoDb.newSdkClient(),
    s3: () => s3.newClient(),
  };
}
