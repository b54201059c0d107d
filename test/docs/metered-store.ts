import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Attributes, DynamoDb } from '../../lib/storage/dynamodb/client.ts';
import type { Objects } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { heldNow } from '../lib/support.ts';
import { DynamoDbStandIn } from '../support/aws/dynamodb.ts';

const Text = z.object({ S: z.string() });
const Key = z.looseObject({ partition: Text, sort: Text });
const Part = z.object({ Key: z.optional(Key), Item: z.optional(Key) });
const Transaction = z.object({ TransactItems: z.array(z.record(z.string(), Part)) });
const Value = z.object({ S: z.optional(z.string()), N: z.optional(z.string()), B: z.optional(z.string()) });
const Item = z.record(z.string(), Value);
const Found = z.object({
  Item: z.optional(Item),
  Items: z.optional(z.array(Item)),
  Responses: z.optional(z.record(z.string(), z.array(Item))),
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Returns the number of units by DynamoDB's rules. A missing item counts as one unit. */
const units = (bytes: number, unit: number) => Math.max(1, Math.ceil(bytes / unit));

/** Returns the bytes of an item: the names of its attributes in UTF-8, and their values. */
function sizeOf(item: Attributes = {}): number {
  const sizes = Object.entries(item).map(([name, { S, N, B }]) => {
    // A number takes one byte for two digits, and one more.
    const bytes = B !== undefined ? Buffer.byteLength(B, 'base64') : N && Math.ceil(N.length / 2) + 1;
    return Buffer.byteLength(name) + (bytes || Buffer.byteLength(S ?? ''));
  });
  return sum(sizes);
}

/** The capacity that calls have used. A removal of an object lists its versions twice. */
interface Used {
  writeUnits: number;
  readUnits: number;
  objectPuts: number;
  objectGets: number;
}
const NOTHING: Readonly<Used> = { writeUnits: 0, readUnits: 0, objectPuts: 0, objectGets: 0 };

/** A table and a bucket that count the capacity of each call, by the rules of DynamoDB and S3. */
export class MeteredStore {
  /** The write units since the last call of `taken`, by their partitions. */
  readonly writeUnitsIn = new Map<string, number>();
  /** The most bytes of a payload in the table. */
  largestPayload = 0;
  readonly client: DynamoDb;
  readonly objects: Objects;
  readonly storage: Storage;
  readonly #table = new DynamoDbStandIn();
  readonly #bucket = new Map<string, Uint8Array>();
  /** The keys of the items in the table, as `partition sort`. */
  readonly #keys = new Set<string>();
  #used: Used = { ...NOTHING };

  constructor() {
    const { client } = this.#table;
    this.client = {
      call: async (operation, request) => {
        if (operation !== 'TransactWriteItems') {
          const result = await client.call(operation, request);
          this.#countRead(result);
          return result;
        }
        const parts = Transaction.parse(request).TransactItems.flatMap((item) => Object.values(item));
        const changed = parts.flatMap(({ Key: key, Item: item }) => key ?? item ?? []);
        const before = await Promise.all(changed.map((key) => this.#itemAt(key)));
        const result = await client.call(operation, request);
        for (const [index, key] of changed.entries()) this.#countWritten(key, before[index], await this.#itemAt(key));
        return result;
      },
    };
    this.objects = {
      put: async (name, bytes) => {
        this.#used.objectPuts++;
        this.#bucket.set(name, bytes);
      },
      get: async (name, range) => {
        this.#used.objectGets++;
        return this.#bucket.get(name)?.subarray(range?.from, range?.to);
      },
      remove: async (name) => {
        this.#used.objectPuts += 2;
        this.#bucket.delete(name);
      },
    };
    this.storage = dynamoDbStorage({
      table: 'segue',
      client: this.client,
      objects: this.objects,
      now: heldNow,
      newId: randomUUID,
    });
  }

  /** Returns the capacity that was used since the last call. */
  taken(): Readonly<Used> {
    const used = this.#used;
    this.#used = { ...NOTHING };
    this.writeUnitsIn.clear();
    return used;
  }

  /** Returns the sort keys of the items in a partition. */
  sortsIn(partition: string): string[] {
    return [...this.#keys].flatMap((key) => (key.startsWith(`${partition} `) ? [key.slice(partition.length + 1)] : []));
  }

  async #itemAt({ partition, sort }: z.infer<typeof Key>): Promise<Attributes | undefined> {
    const request = { TableName: 'segue', Key: { partition, sort }, ConsistentRead: true };
    return (await this.#table.client.call('GetItem', request)).Item;
  }

  /** Counts the read units of an answer. A query counts all its items as one read. */
  #countRead(result: unknown): void {
    const { Item: item, Items, Responses } = Found.parse(result);
    const readBytes = Items
      ? [sum(Items.map(sizeOf))]
      : Object.values(Responses ?? { table: [item] })
          .flat()
          .map(sizeOf);
    this.#used.readUnits += sum(readBytes.map((bytes) => units(bytes, 4_096)));
  }

  /** Counts the write units of an item in a transaction, which writes it twice. */
  #countWritten({ partition, sort }: z.infer<typeof Key>, before?: Attributes, after?: Attributes): void {
    const written = 2 * units(Math.max(sizeOf(before), sizeOf(after)), 1_024);
    this.#used.writeUnits += written;
    this.writeUnitsIn.set(partition.S, (this.writeUnitsIn.get(partition.S) ?? 0) + written);
    this.largestPayload = Math.max(this.largestPayload, Buffer.byteLength(after?.['bytes']?.B ?? '', 'base64'));
    this.#keys[after ? 'add' : 'delete'](`${partition.S} ${sort.S}`);
  }
}
